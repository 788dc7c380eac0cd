-- The requests of one key, and those that were refused or failed, among millions of others.
create index request_logs_key_idx on request_logs (team_id, api_key_id, id) where api_key_id is not null;
create index request_logs_problems_idx on request_logs (team_id, id) where response_status >= 400;
