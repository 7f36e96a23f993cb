-- The tables of transcripts, each in four parts by the session: what is kept up for a table as a whole (its indexes, its
-- vacuuming, its place on a disk) is then kept up for a quarter of it. Every key starts with session_id and every statement
-- names it, so that one part answers. A part can be divided further by itself, since 8 and 16 are multiples of 4.

DO $$
DECLARE
    transcript CONSTANT text[] := ARRAY['titles', 'epoch_records', 'records', 'message_ids', 'participants', 'profiles',
        'knocks', 'tokens', 'chunks'];
    parts CONSTANT integer := 4;
    name text;
BEGIN
    FOREACH name IN ARRAY transcript LOOP
        EXECUTE format('ALTER TABLE %I RENAME TO %I', name, name || '_whole');
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING STORAGE) PARTITION BY HASH (session_id)', name, name || '_whole');
        FOR part IN 0 .. parts - 1 LOOP
            EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s)',
                name || '_' || part, name, parts, part);
            -- Room on each page for the next version of a row that moves often.
            IF name = 'participants' THEN
                EXECUTE format('ALTER TABLE %I SET (fillfactor = 70)', name || '_' || part);
            END IF;
        END LOOP;
        EXECUTE format('INSERT INTO %I SELECT * FROM %I', name, name || '_whole');
        EXECUTE format('DROP TABLE %I', name || '_whole');
    END LOOP;
END $$;

ALTER TABLE titles ADD PRIMARY KEY (session_id);
ALTER TABLE epoch_records ADD PRIMARY KEY (session_id, epoch);
ALTER TABLE records ADD PRIMARY KEY (session_id, seq);
ALTER TABLE message_ids ADD PRIMARY KEY (session_id, message_id);
ALTER TABLE participants ADD PRIMARY KEY (session_id, participant_id);
ALTER TABLE profiles ADD PRIMARY KEY (session_id, participant_id, epoch);
ALTER TABLE knocks ADD PRIMARY KEY (session_id, participant_id);
ALTER TABLE tokens ADD PRIMARY KEY (session_id, token_hash);
ALTER TABLE chunks ADD PRIMARY KEY (session_id, attachment_id, chunk_index);
CREATE INDEX tokens_of_participant ON tokens (session_id, participant_id);
