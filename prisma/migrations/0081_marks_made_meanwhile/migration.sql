-- serves: earlier
-- While 0079_marks_of_recipients read the emails, processes of the version before went on, and what they recorded left no mark. Since its end all leave
-- marks that begin then, and 0080_traceparents has waited for the others: it locks the emails.
-- No version was released between the two, so both are applied at the same update, and a day is more than that takes.
insert into broadcast_marks (broadcast_id, type, email_id)
select distinct on (e.broadcast_id, n.type, broadcast_stretch(e.id)) e.broadcast_id, substr(n.type, 7), e.id
from notifications n join emails e on e.id = n.subject_id
where n.type in ('email.sent', 'email.delivered', 'email.canceled') and e.broadcast_id is not null
  and n.id > (select uuidv7_at(now() - interval '1 day', 0))
  and not exists (
    select from broadcast_marks m
    where m.broadcast_id = e.broadcast_id and m.type = substr(n.type, 7) and m.email_id <= e.id and broadcast_stretch(m.email_id) = broadcast_stretch(e.id)
  )
order by e.broadcast_id, n.type, broadcast_stretch(e.id), e.id
on conflict do nothing;
