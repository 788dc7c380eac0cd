-- Why a broadcast ended early, apart from why it waits: what it waits for passes, and the end stays.
alter table broadcasts add column end_reason text;
update broadcasts set end_reason = status_reason, status_reason = null
 where is_fanned_out and not is_waiting and status_reason is not null and status <> 'draft';
