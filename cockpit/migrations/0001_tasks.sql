-- What a question about files is answered from, and nothing else. Times are milliseconds since 1970, UTC.

-- A repository, however many clones and worktrees of it there are on this machine.
CREATE TABLE repositories (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL
) STRICT;

-- By what it is recognised; one is enough: `origin:<hash>`, `root:<hash>` or `folder:<path>`.
CREATE TABLE marks (
    mark       TEXT PRIMARY KEY,
    repository INTEGER NOT NULL REFERENCES repositories (id)
) STRICT, WITHOUT ROWID;

-- The working trees that tasks ran in.
CREATE TABLE checkouts (
    folder     TEXT PRIMARY KEY,
    git_dir    TEXT NOT NULL,
    common_dir TEXT NOT NULL,
    repository INTEGER NOT NULL REFERENCES repositories (id),
    seen_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX checkouts_of_repository ON checkouts (repository);

CREATE TABLE tasks (
    id            TEXT PRIMARY KEY,
    repository    INTEGER NOT NULL REFERENCES repositories (id),
    folder        TEXT NOT NULL,
    host          TEXT NOT NULL,
    session       TEXT NOT NULL,
    title         TEXT NOT NULL,
    started_at    INTEGER NOT NULL,
    -- The commit it started from; NULL where that is not known.
    start_commit  TEXT,
    -- Whether the tree was looked at when it started, and since it ended.
    start_seen    INTEGER NOT NULL DEFAULT 0,
    end_seen      INTEGER NOT NULL DEFAULT 0,
    ended_at      INTEGER,
    outcome       TEXT NOT NULL,
    why           TEXT NOT NULL,
    check_command TEXT,
    check_failed  INTEGER,
    report        TEXT,
    report_bytes  INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX tasks_of_session ON tasks (host, session, started_at);
CREATE INDEX tasks_of_repository ON tasks (repository, started_at);

-- What differed from the commit when a task started; gone once its session has moved on.
CREATE TABLE start_files (
    task  TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    path  TEXT NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (task, path)
) STRICT, WITHOUT ROWID;

-- What a task changed. `committed`: in a commit made while it ran.
CREATE TABLE task_files (
    task      TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    path      TEXT NOT NULL,
    committed INTEGER NOT NULL,
    PRIMARY KEY (task, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX task_files_by_path ON task_files (path);

CREATE TABLE task_commits (
    task   TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    hash   TEXT NOT NULL,
    PRIMARY KEY (task, hash)
) STRICT, WITHOUT ROWID;

-- Merges that were made again to see whether they conflict; those that did not are kept so that it is done once.
CREATE TABLE merges (
    repository INTEGER NOT NULL REFERENCES repositories (id),
    hash       TEXT NOT NULL,
    at         INTEGER NOT NULL,
    conflicts  INTEGER NOT NULL,
    PRIMARY KEY (repository, hash)
) STRICT, WITHOUT ROWID;

-- What each side of a merge (0 or 1) did to the paths that conflicted.
CREATE TABLE merge_changes (
    repository INTEGER NOT NULL,
    merge      TEXT NOT NULL,
    path       TEXT NOT NULL,
    side       INTEGER NOT NULL,
    hash       TEXT NOT NULL,
    at         INTEGER NOT NULL,
    subject    TEXT NOT NULL,
    PRIMARY KEY (repository, merge, path, side, hash),
    FOREIGN KEY (repository, merge) REFERENCES merges (repository, hash) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
