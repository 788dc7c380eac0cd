import { useRecord, useRows } from '../api/queries'
import { Copyable } from '../parts/Copyable'
import { DataList } from '../parts/DataList'
import { Facts } from '../parts/Facts'
import { Json } from '../parts/Json'
import { Loading } from '../parts/Loading'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { Time, timeText } from '../parts/Time'
import { useMay } from '../session/me'
import { useAddressPart } from '../shell/address'
import { Problem } from '../shell/problems'
import { CONTACT_JOB_TEXTS as TEXTS } from '../texts/contact-jobs'
import { JobProgress, StopJob, useContactJob } from './JobProgress'
import { type ContactJob, isOver, selectionWords } from './jobs'

export default function JobPage() {
  const id = useAddressPart('jobId')
  const may = useMay()
  const { data: job, error, refetch } = useContactJob(id)
  if (error && !job) return <Problem error={error} onRetry={() => void refetch()} />
  if (!job) return <Loading />
  return (
    <Page
      title={`${TEXTS.acts[job.act.type]}: ${timeText(job.created_at)}`}
      back={{ to: '/contacts/jobs', name: TEXTS.title }}
      state={<StateBadge state={TEXTS.states[job.status]} />}
      acts={!isOver(job) && may('contacts:write') && <StopJob job={job} />}
    >
      <Section title={TEXTS.act}>
        <JobProgress job={job} />
        <Facts
          facts={[
            [TEXTS.contacts, <Selected key="contacts" contacts={job.contacts} />],
            [TEXTS.segment, job.act.segment_id && <SegmentName key="segment" id={job.act.segment_id} />],
            [TEXTS.topic, job.act.topic_id && <TopicName key="topic" id={job.act.topic_id} />],
            [TEXTS.property, job.act.property],
            [TEXTS.value, job.act.value],
            [TEXTS.started, <Time key="started" at={job.created_at} />],
            [TEXTS.ends, job.completed_at && <Time key="ended" at={job.completed_at} />],
            [TEXTS.id, <Copyable key="id" text={job.id} />],
          ]}
        />
      </Section>
      {job.counts.refused > 0 && <Refused id={id} />}
    </Page>
  )
}

function SegmentName({ id }: { id: string }) {
  const { data } = useRecord('/segments/{segment_id}', { path: { segment_id: id } })
  return <PageLink to={`/segments/${id}`}>{data?.name ?? TEXTS.segment}</PageLink>
}

function TopicName({ id }: { id: string }) {
  const { data } = useRecord('/topics/{topic_id}', { path: { topic_id: id } })
  return <PageLink to={`/topics/${id}`}>{data?.name ?? TEXTS.topic}</PageLink>
}

function Selected({ contacts }: { contacts: ContactJob['contacts'] }) {
  const { segment_id, broadcast_id, filter } = contacts
  const words = selectionWords(contacts)
  if (segment_id !== null) return <PageLink to={`/segments/${segment_id}`}>{words}</PageLink>
  if (broadcast_id !== null) return <PageLink to={`/broadcasts/${broadcast_id}`}>{words}</PageLink>
  return filter === null ? <bdi>{words}</bdi> : <Json value={filter} label={words} />
}

function Refused({ id }: { id: string }) {
  const list = useRows('/contacts/jobs/{contact_job_id}/refusals', { path: { contact_job_id: id } })
  return (
    <Section title={TEXTS.refused}>
      <DataList
        label={TEXTS.refused}
        list={list}
        to={(row) => `/contacts/${row.id}`}
        columns={[
          { name: TEXTS.email, cell: ({ email }) => <bdi>{email ?? TEXTS.unknown}</bdi> },
          { name: TEXTS.why, cell: ({ reason }) => TEXTS.reasons[reason] },
        ]}
      />
    </Section>
  )
}
