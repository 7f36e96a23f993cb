-- By which hash a working tree's repository names its objects: sha1 or sha256.
ALTER TABLE checkouts ADD COLUMN object_format TEXT NOT NULL DEFAULT 'sha1';
