alter table suppressions add constraint suppressions_origin_check check (origin in ('bounce', 'complaint', 'manual'));
-- A list of one origin finds its page without reading the rows of the others.
create index suppressions_team_id_origin_id_idx on suppressions (team_id, origin, id desc);
