-- How much of what differed could not be listed when a task started: 0 nothing, 1 files that git does not track, 2 everything.
ALTER TABLE tasks ADD COLUMN start_unlisted INTEGER NOT NULL DEFAULT 0;
-- Whether it may have changed more than is kept.
ALTER TABLE tasks ADD COLUMN unlisted INTEGER NOT NULL DEFAULT 0;
