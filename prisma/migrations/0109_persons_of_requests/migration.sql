-- Who was signed in, of a request with the session of a person. Nullable and without a default: no row of any partition is written.
alter table request_logs add column person_id uuid;
