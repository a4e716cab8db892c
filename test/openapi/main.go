// Command openapi prints the OpenAPI document of the service, for the linters
// beside it and for anyone who generates a client from it.
package main

import (
	"log"
	"os"

	"github.com/drover-fleet/drover/internal/api"
)

func main() {
	document, err := api.Document("dev")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := os.Stdout.Write(append(document, '\n')); err != nil {
		log.Fatal(err)
	}
}
