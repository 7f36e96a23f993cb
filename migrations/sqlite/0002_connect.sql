-- Device login. A request that was approved names the member whose machine it is, and what its token may do; the
-- token itself is made when the machine fetches it, so that no table ever holds one.

-- Where the machine asks from.
ALTER TABLE connect_requests ADD COLUMN address TEXT;
-- Whose machine it is. The approver, where it was a user; else a member that the operator named.
ALTER TABLE connect_requests ADD COLUMN user_id BLOB REFERENCES users (user_id);
-- What the token will be named by.
ALTER TABLE connect_requests ADD COLUMN token_id BLOB;
ALTER TABLE connect_requests ADD COLUMN scopes TEXT;
CREATE INDEX connect_requests_until ON connect_requests (expires_at);

-- Wrong codes of each approver, since the first of them.
CREATE TABLE connect_tries (
    approver TEXT NOT NULL PRIMARY KEY,
    wrong INTEGER NOT NULL,
    since INTEGER NOT NULL
) STRICT;
