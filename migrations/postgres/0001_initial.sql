-- Columns are TEXT, BIGINT and BYTEA alone: ids as 16 bytes, times as milliseconds UTC, flags as nullable
-- times. The same tables and columns stand in ../sqlite; a test compares them.

-- Organisations and their people --------------------------------------------------------------------

CREATE TABLE orgs (
    org_id BYTEA NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    -- The policy; null: the plane's own limit.
    max_budget BIGINT,
    max_ttl_s BIGINT,
    retention_s BIGINT,
    max_sessions BIGINT,
    view_links_refused_at BIGINT,
    default_door TEXT
);

CREATE TABLE users (
    user_id BYTEA NOT NULL PRIMARY KEY,
    org_id BYTEA NOT NULL REFERENCES orgs (org_id),
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    disabled_at BIGINT,
    UNIQUE (org_id, name)
);

CREATE TABLE machine_tokens (
    token_hash BYTEA NOT NULL PRIMARY KEY,
    token_id BYTEA NOT NULL UNIQUE,
    org_id BYTEA NOT NULL REFERENCES orgs (org_id),
    user_id BYTEA NOT NULL REFERENCES users (user_id),
    name TEXT,
    scopes TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
);
CREATE INDEX machine_tokens_of_org ON machine_tokens (org_id, created_at);

CREATE TABLE console_tokens (
    token_hash BYTEA NOT NULL PRIMARY KEY,
    org_id BYTEA NOT NULL REFERENCES orgs (org_id),
    user_id BYTEA NOT NULL REFERENCES users (user_id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE TABLE login_links (
    link_hash BYTEA NOT NULL PRIMARY KEY,
    user_id BYTEA NOT NULL REFERENCES users (user_id),
    expires_at BIGINT NOT NULL,
    used_at BIGINT
);

CREATE TABLE connect_requests (
    device_hash BYTEA NOT NULL PRIMARY KEY,
    user_code_hash BYTEA NOT NULL UNIQUE,
    machine_name TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    polled_at BIGINT,
    approver BYTEA REFERENCES users (user_id),
    approved_at BIGINT,
    denied_at BIGINT,
    spent_at BIGINT
);

CREATE TABLE audit (
    org_id BYTEA NOT NULL,
    at BIGINT NOT NULL,
    entry_id BYTEA NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    session_id BYTEA,
    subject TEXT,
    PRIMARY KEY (org_id, at, entry_id)
);

-- Sessions and their transcripts: every key starts with session_id, so that these tables can be split by it.
-- They hold no foreign keys: whole sessions go at once, and an append pays for no look-up it does not need.

CREATE TABLE sessions (
    session_id BYTEA NOT NULL PRIMARY KEY,
    org_id BYTEA NOT NULL,
    owner_user BYTEA NOT NULL,
    owner_participant BYTEA,
    label TEXT,
    epoch BIGINT NOT NULL,
    full_verifier BYTEA NOT NULL,
    view_verifier BYTEA NOT NULL,
    -- Moves with every change of this row: what was read under a version holds while it stands.
    version BIGINT NOT NULL,
    head_seq BIGINT NOT NULL,
    min_seq BIGINT NOT NULL,
    -- The transcript hash up to min_seq - 1.
    carried_hash BYTEA NOT NULL,
    bytes BIGINT NOT NULL,
    -- The mode machine's state, with the last proposal ids.
    mode TEXT NOT NULL,
    door_state TEXT NOT NULL,
    door_joins_left BIGINT,
    door_until BIGINT,
    knocking BIGINT NOT NULL,
    -- When the first of the knocks lapses.
    knocks_due BIGINT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    ended_at BIGINT,
    end_cause TEXT,
    -- When the rows of an ended session go.
    purge_at BIGINT,
    -- When the sweeper must look at this session next. Never later than anything that comes due.
    look_at BIGINT NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX sessions_to_look_at ON sessions (look_at);
CREATE INDEX sessions_of_org ON sessions (org_id, created_at);

CREATE TABLE titles (
    session_id BYTEA NOT NULL PRIMARY KEY,
    participant_id BYTEA NOT NULL,
    epoch BIGINT NOT NULL,
    sealed BYTEA NOT NULL
);

CREATE TABLE epoch_records (
    session_id BYTEA NOT NULL,
    epoch BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    record BYTEA NOT NULL,
    PRIMARY KEY (session_id, epoch)
);

CREATE TABLE records (
    session_id BYTEA NOT NULL,
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    class BIGINT NOT NULL,
    sender BYTEA,
    item_id BYTEA,
    signal TEXT,
    size BIGINT NOT NULL,
    body BYTEA NOT NULL,
    PRIMARY KEY (session_id, seq)
);
-- Sealed bytes don't compress.
ALTER TABLE records ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE message_ids (
    session_id BYTEA NOT NULL,
    message_id BYTEA NOT NULL,
    author BYTEA NOT NULL,
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    digest BYTEA NOT NULL,
    PRIMARY KEY (session_id, message_id)
);

CREATE TABLE participants (
    session_id BYTEA NOT NULL,
    participant_id BYTEA NOT NULL,
    kind TEXT NOT NULL,
    capability TEXT NOT NULL,
    rejoin_verifier BYTEA NOT NULL,
    joined_seq BIGINT NOT NULL,
    joined_epoch BIGINT NOT NULL,
    joined_at BIGINT NOT NULL,
    left_at BIGINT,
    -- The epoch whose record did not list it any more.
    removed_epoch BIGINT,
    last_seen_at BIGINT NOT NULL,
    listening_until BIGINT,
    fetched_seq BIGINT NOT NULL,
    PRIMARY KEY (session_id, participant_id)
) WITH (fillfactor = 70);

CREATE TABLE profiles (
    session_id BYTEA NOT NULL,
    participant_id BYTEA NOT NULL,
    epoch BIGINT NOT NULL,
    at BIGINT NOT NULL,
    sealed BYTEA NOT NULL,
    PRIMARY KEY (session_id, participant_id, epoch)
);

CREATE TABLE knocks (
    session_id BYTEA NOT NULL,
    participant_id BYTEA NOT NULL,
    kind TEXT NOT NULL,
    capability TEXT NOT NULL,
    rejoin_verifier BYTEA NOT NULL,
    sealed_profile BYTEA NOT NULL,
    epoch BIGINT NOT NULL,
    since BIGINT NOT NULL,
    -- When it lapses: from the last repeat, or from its admission.
    lapses_at BIGINT NOT NULL,
    admitted_at BIGINT,
    refused_at BIGINT,
    PRIMARY KEY (session_id, participant_id)
);

CREATE TABLE tokens (
    session_id BYTEA NOT NULL,
    token_hash BYTEA NOT NULL,
    participant_id BYTEA NOT NULL,
    capability TEXT NOT NULL,
    epoch BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (session_id, token_hash)
);
CREATE INDEX tokens_of_participant ON tokens (session_id, participant_id);

CREATE TABLE chunks (
    session_id BYTEA NOT NULL,
    attachment_id BYTEA NOT NULL,
    chunk_index BIGINT NOT NULL,
    digest BYTEA NOT NULL,
    uploader BYTEA NOT NULL,
    -- The record that names it; null: not tied yet.
    seq BIGINT,
    at BIGINT NOT NULL,
    size BIGINT NOT NULL,
    sealed BYTEA NOT NULL,
    PRIMARY KEY (session_id, attachment_id, chunk_index)
);

CREATE TABLE tombstones (
    session_id BYTEA NOT NULL PRIMARY KEY,
    org_id BYTEA NOT NULL,
    owner_user BYTEA NOT NULL,
    epoch BIGINT NOT NULL,
    full_verifier BYTEA NOT NULL,
    view_verifier BYTEA NOT NULL,
    at BIGINT NOT NULL,
    cause TEXT NOT NULL,
    until BIGINT NOT NULL
);
CREATE INDEX tombstones_until ON tombstones (until);
