package deliver

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"syscall"
)

// Failure says in words of its own why there was no answer. The texts of the
// network are not repeated: they hold addresses of the operator's resolvers and
// networks, and what some other service has said.
func Failure(err error) string {
	for _, f := range failures {
		if f.is(err) {
			return f.words
		}
	}
	return "no answer of HTTP came"
}

var failures = []struct {
	words string
	is    func(error) bool
}{
	{"the name of the host could not be resolved", as[*net.DNSError]},
	{"connection refused", is(syscall.ECONNREFUSED)},
	{"the host cannot be reached", is(syscall.EHOSTUNREACH, syscall.ENETUNREACH)},
	{"the certificate is not signed by a known authority", as[x509.UnknownAuthorityError]},
	{"the certificate is for another host", as[x509.HostnameError]},
	{"the certificate has expired or is not valid", as[x509.CertificateInvalidError]},
	{"the certificate could not be verified", as[*tls.CertificateVerificationError]},
	{"the receiver does not speak TLS", as[tls.RecordHeaderError]},
	{"the receiver refused the TLS handshake", as[tls.AlertError]},
	{"the connection was closed before the answer was complete", is(syscall.ECONNRESET, syscall.EPIPE, io.EOF, io.ErrUnexpectedEOF)},
}

func is(targets ...error) func(error) bool {
	return func(err error) bool {
		for _, target := range targets {
			if errors.Is(err, target) {
				return true
			}
		}
		return false
	}
}

func as[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}
