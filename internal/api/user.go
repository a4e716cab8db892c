package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

// errorsOfChange are those of an operation that others may be in the way of.
var (
	errorsOfCreate = []int{400, 401, 403, 409, 422}
	errorsOfChange = []int{400, 401, 403, 404, 409, 422}
)

func (s *server) userRoutes() []route {
	const lastAdmin = "The last admin cannot be removed"
	return []route{
		opQuery(http.MethodGet, "/user", s.listUsers).
			named("listUsers", tagUser, "List users", "The tenant's users, oldest first.").
			admin().can(errorsOfList...),
		opBody(http.MethodPost, "/user", s.postUser).
			named("postUser", tagUser, "Create user", "Adds a user to the tenant. Admins give no one more than they have.").
			admin().can(errorsOfCreate...).clash("The username or the e-mail address is taken"),
		opBody(http.MethodPatch, "/user/{user_id}", s.patchUser).
			named("patchUser", tagUser, "Update user", "Changes the fields that are sent. A new password ends the user's sessions; a disabled user is refused at once. The last admin can be neither disabled nor given another role.").
			admin().can(errorsOfChange...).missing(guard.UnknownUser).clash(lastAdmin),
		op(http.MethodDelete, "/user/{user_id}", s.deleteUser).
			named("deleteUser", tagUser, "Delete user", "Removes a user and ends its sessions. The last admin cannot be removed.").
			admin().can(errorsOfChange...).missing(guard.UnknownUser).clash(lastAdmin),
		opBody(http.MethodPatch, "/user/me", s.patchOwn).
			named("patchOwnUser", tagUser, "Update myself", "Changes the caller's own password, for which the old one is needed, and its preferences, which the service keeps and does not read. A new password ends all other sessions. API keys have neither.").
			own().can(errorsOfList...),
		op(http.MethodGet, "/user/me/session", s.listOwnSessions).
			named("listOwnSessions", tagUser, "List my sessions", "Where the caller is signed in, oldest first.").
			own().can(errorsOfList...),
		op(http.MethodDelete, "/user/me/session/{session_id}", s.deleteOwnSession).
			named("deleteOwnSession", tagUser, "End one of my sessions",
				"Signs the caller out there: its tokens, or its cookie, are refused in every process within a second.").
			own().can(errorsOfOne...).missing(guard.UnknownSession),
		opQuery(http.MethodGet, "/api-key", s.listAPIKeys).
			named("listAPIKeys", tagUser, "List API keys", "The tenant's keys, oldest first, without their secrets.").
			admin().can(errorsOfList...),
		opBody(http.MethodPost, "/api-key", s.postAPIKey).
			named("postAPIKey", tagUser, "Create API key", "Makes a key for a program. Its secret is shown this once, and is accepted as a bearer wherever a token is. Admins give no key more than they have.").
			admin().can(errorsOfList...),
		op(http.MethodDelete, "/api-key/{api_key_id}", s.deleteAPIKey).
			named("deleteAPIKey", tagUser, "Revoke API key", "Every process refuses the key within a second.").
			admin().can(errorsOfOne...).missing(guard.UnknownAPIKey),
	}
}

// clash gives the words of a 409.
func (r route) clash(message string) route {
	r.Conflict = message
	return r
}

// secrets says that the operation reads a secret, which is written down.
func (r route) secrets() route {
	r.secret = true
	return r.needs(drover.PermissionSecrets)
}

func (s *server) listUsers(c *call, q paging) (page[drover.User], error) {
	var after drover.IDCursor
	if err := q.place(&after); err != nil {
		return page[drover.User]{}, err
	}
	users, err := s.Fleet.Identity.Users(c.Context, c.principal, after, q.Limit+1)
	if err != nil {
		return page[drover.User]{}, err
	}
	return newPage(users, q.Limit, func(u drover.User) cursor { return drover.IDCursor(u.ID) })
}

func (s *server) postUser(c *call, body drover.UserInput) (drover.User, error) {
	return s.Fleet.Identity.CreateUser(c.Context, c.principal, body)
}

func (s *server) patchUser(c *call, body drover.UserUpdate) (drover.User, error) {
	return s.Fleet.Identity.UpdateUser(c.Context, c.principal, c.PathValue("user_id"), body)
}

func (s *server) deleteUser(c *call) (nothing, error) {
	return nothing{}, s.Fleet.Identity.DeleteUser(c.Context, c.principal, c.PathValue("user_id"))
}

func (s *server) patchOwn(c *call, body drover.OwnUpdate) (sessionView, error) {
	profile, err := s.Fleet.Identity.UpdateOwn(c.Context, c.principal, c.RemoteAddr, body)
	return s.view(profile), err
}

func (s *server) listOwnSessions(c *call) ([]drover.UserSession, error) {
	return s.Fleet.Identity.OwnSessions(c.Context, c.principal)
}

func (s *server) deleteOwnSession(c *call) (nothing, error) {
	return nothing{}, s.Fleet.Identity.EndSession(c.Context, c.principal, c.PathValue("session_id"))
}

func (s *server) listAPIKeys(c *call, q paging) (page[drover.APIKey], error) {
	var after drover.IDCursor
	if err := q.place(&after); err != nil {
		return page[drover.APIKey]{}, err
	}
	keys, err := s.Fleet.Identity.APIKeys(c.Context, c.principal, after, q.Limit+1)
	if err != nil {
		return page[drover.APIKey]{}, err
	}
	return newPage(keys, q.Limit, func(k drover.APIKey) cursor { return drover.IDCursor(k.ID) })
}

func (s *server) postAPIKey(c *call, body drover.APIKeyInput) (drover.APIKeyCreated, error) {
	return s.Fleet.Identity.CreateAPIKey(c.Context, c.principal, body)
}

func (s *server) deleteAPIKey(c *call) (nothing, error) {
	return nothing{}, s.Fleet.Identity.DeleteAPIKey(c.Context, c.principal, c.PathValue("api_key_id"))
}
