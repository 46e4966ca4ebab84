-- What a session was launched with is large, and mostly the same as last time: each is kept once.
CREATE TABLE snapshots (
    id INTEGER PRIMARY KEY,
    -- SHA-256; NULL for what was kept before there were digests.
    digest TEXT UNIQUE,
    content TEXT NOT NULL
) STRICT;

INSERT INTO snapshots (id, content) SELECT rowid, snapshot FROM sessions;
ALTER TABLE sessions ADD COLUMN snapshot_id INTEGER REFERENCES snapshots (id);
UPDATE sessions SET snapshot_id = rowid;
ALTER TABLE sessions DROP COLUMN snapshot;
CREATE INDEX sessions_by_snapshot ON sessions (snapshot_id);

ALTER TABLE sessions ADD COLUMN name TEXT;
ALTER TABLE sessions ADD COLUMN kind TEXT CHECK (kind IN ('terminal', 'host'));
-- What was asked for on the command line and by the profile, as JSON; nothing that was said to a model.
ALTER TABLE sessions ADD COLUMN invocation TEXT;

-- Claude Code's own ids of what was said in a session, whenever the person went to another. The last is taken up again.
CREATE TABLE conversations (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    conversation TEXT NOT NULL
) STRICT;

CREATE INDEX conversations_by_session ON conversations (session);

-- Answers to permission dialogs: which tool of which agent, never its input.
CREATE TABLE answers (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    tool TEXT NOT NULL,
    agent TEXT NOT NULL,
    decision TEXT NOT NULL CHECK (decision IN ('allow', 'deny', 'unknown')),
    "by" TEXT NOT NULL CHECK ("by" IN ('terminal', 'inbox', 'elsewhere'))
) STRICT;

CREATE INDEX answers_by_session ON answers (session);

ALTER TABLE requests ADD COLUMN prompt_id TEXT;
-- The model that was sent on; wire_model is what the client sent.
ALTER TABLE requests ADD COLUMN upstream_model TEXT;
ALTER TABLE requests ADD COLUMN effort TEXT;
-- USD per million tokens, as cost was reckoned; NULL where the route had no price.
ALTER TABLE requests ADD COLUMN price_input REAL;
ALTER TABLE requests ADD COLUMN price_output REAL;
ALTER TABLE requests ADD COLUMN price_cache_read REAL;
ALTER TABLE requests ADD COLUMN price_cache_write REAL;
