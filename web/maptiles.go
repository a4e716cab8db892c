package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"github.com/drover-fleet/drover/internal/api/middle"
)

const (
	configPath = "/console/config"
	tilesPath  = "/console/map.pmtiles"
)

// pageConfig is what the pages have to know before anyone has signed in.
type pageConfig struct {
	MapStyle   *string `json:"map_style"`
	MapPMTiles *string `json:"map_pmtiles"`
	Demo       *Demo   `json:"demo"`
}

// configBody is the answer at configPath, made once.
func configBody(o Options) ([]byte, error) {
	c := pageConfig{Demo: o.Demo}
	if o.MapStyle != "" {
		c.MapStyle = &o.MapStyle
	}
	if o.MapTiles != "" {
		path := tilesPath
		c.MapPMTiles = &path
	}
	body, err := json.Marshal(map[string]pageConfig{"data": c})
	if err != nil {
		return nil, fmt.Errorf("write the console's configuration: %w", err)
	}
	return body, nil
}

func (h *Handler) serveConfig(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("Content-Length", strconv.Itoa(len(h.config)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(h.config) // the caller may have gone away
	}
}

// checkTiles refuses at the start a file that a map could not be read from.
func checkTiles(name string) error {
	if name == "" {
		return nil
	}
	file, err := os.Open(filepath.Clean(name))
	if err != nil {
		return fmt.Errorf("open the map's tiles: %w", err)
	}
	defer file.Close()
	head := make([]byte, len("PMTiles")+1)
	if _, err := io.ReadFull(file, head); err != nil || !bytes.Equal(head, []byte("PMTiles\x03")) {
		return fmt.Errorf("%s is no file of map tiles (PMTiles, version 3)", name)
	}
	return nil
}

// serveTiles sends the parts of the operator's file that a map asks for. The file
// is opened again each time, so that a newer one may take its place.
func (h *Handler) serveTiles(w http.ResponseWriter, r *http.Request) {
	file, info, err := openTiles(h.tiles)
	if err != nil {
		w.Header().Set("Cache-Control", "no-store")
		middle.WriteError(w, http.StatusNotFound, http.StatusText(http.StatusNotFound))
		return
	}
	defer file.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	w.Header().Set("ETag", fmt.Sprintf(`"%x-%x"`, info.ModTime().UnixNano(), info.Size()))
	http.ServeContent(w, r, "", info.ModTime(), file)
}

func openTiles(name string) (*os.File, os.FileInfo, error) {
	if name == "" {
		return nil, nil, os.ErrNotExist
	}
	file, err := os.Open(filepath.Clean(name))
	if err != nil {
		return nil, nil, fmt.Errorf("open the map's tiles: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return nil, nil, fmt.Errorf("look at the map's tiles: %w", err)
	}
	return file, info, nil
}
