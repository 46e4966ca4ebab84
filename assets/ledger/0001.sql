-- Times are milliseconds since 1970, UTC. No prompt, no header's value and no key stands here.

CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    started INTEGER NOT NULL,
    ended INTEGER,
    exit_code INTEGER,
    folder TEXT NOT NULL,
    snapshot TEXT NOT NULL
) STRICT;

CREATE TABLE requests (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    claude_session TEXT,
    agent_id TEXT,
    parent_agent_id TEXT,
    class TEXT,
    attempt INTEGER,
    agent TEXT NOT NULL,
    route TEXT NOT NULL,
    wire_model TEXT,
    path TEXT NOT NULL,
    status INTEGER,
    outcome TEXT NOT NULL CHECK (outcome IN ('ok', 'client_error', 'upstream_error', 'cancelled')),
    blame TEXT,
    bytes_in INTEGER NOT NULL,
    bytes_out INTEGER NOT NULL,
    ttfb INTEGER,
    total INTEGER NOT NULL,
    stop_reason TEXT,
    input_tokens INTEGER,
    output_tokens INTEGER,
    cache_read_tokens INTEGER,
    cache_write_tokens INTEGER,
    -- USD; NULL where the route has no price.
    cost REAL,
    stray INTEGER NOT NULL
) STRICT;

CREATE INDEX requests_by_time ON requests (at);
CREATE INDEX requests_by_session ON requests (session);

-- Requests that were made and could not be kept.
CREATE TABLE gaps (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    requests INTEGER NOT NULL
) STRICT;
