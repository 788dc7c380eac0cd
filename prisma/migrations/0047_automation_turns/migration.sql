-- Teams take turns: one probe for each finds whether it has a run that is due, or an event that its automations were not told of.
create index automation_runs_team_due_idx on automation_runs (team_id, wake_at) where leased_by is null and wake_at is not null and claims < 3;
create index automation_occurrences_team_next_idx on automation_occurrences (team_id, seq) where set_aside_until is null;

-- A list of runs by their status, and what is cancelled when an automation is stopped.
create index automation_runs_automation_id_status_id_idx on automation_runs (automation_id, status, id desc);
drop index automation_runs_running_idx;

-- What became of the steps of a graph, and whether a run still has it.
create index automation_runs_version_id_id_idx on automation_runs (version_id, id desc);
