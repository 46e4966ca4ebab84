-- Milliseconds that it waited for one of its route's places; NULL: it didn't.
ALTER TABLE requests ADD COLUMN queued INTEGER;
-- The route that had failed, in whose place this one was tried.
ALTER TABLE requests ADD COLUMN instead_of TEXT;
-- The repair that would mend what the provider refused.
ALTER TABLE requests ADD COLUMN mending TEXT;
