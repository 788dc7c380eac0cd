import { useRows } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { Copyable } from '../parts/Copyable'
import { DataList } from '../parts/DataList'
import { Facts } from '../parts/Facts'
import { SegmentName, TopicName } from '../parts/names'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { Time, timeText } from '../parts/Time'
import { FilterOf } from '../segments/FilterOf'
import { useMay } from '../session/me'
import { useAddressPart } from '../shell/address'
import { CONTACT_JOB_TEXTS as TEXTS } from '../texts/contact-jobs'
import { JobProgress, StopJob, useContactJob } from './JobProgress'
import { type ContactJob, isOver, selectionWords } from './jobs'

export default function JobPage() {
  const id = useAddressPart('jobId')
  const may = useMay()
  const { data: job, error, refetch } = useContactJob(id)
  if (!job) return <Awaited read={{ error, refetch }} />
  return (
    <Page
      title={`${TEXTS.acts[job.act.type]}: ${timeText(job.created_at)}`}
      back={{ to: '/contacts/jobs', name: TEXTS.title }}
      state={<StateBadge state={job.status} words={TEXTS.states[job.status]} />}
      acts={!isOver(job) && may('contacts:write') && <StopJob job={job} />}
    >
      <Section title={TEXTS.act}>
        <JobProgress job={job} />
        <Facts
          facts={[
            [TEXTS.contacts, <Selected key="contacts" contacts={job.contacts} />],
            [TEXTS.segments[job.act.type] ?? TEXTS.segment, job.act.segment_id && <Segment key="segment" id={job.act.segment_id} />],
            [
              TEXTS.topic,
              job.act.topic_id && (
                <PageLink key="topic" to={`/topics/${job.act.topic_id}`}>
                  <TopicName id={job.act.topic_id} />
                </PageLink>
              ),
            ],
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

const Segment = ({ id }: { id: string }) => (
  <PageLink to={`/segments/${id}`}>
    <SegmentName id={id} />
  </PageLink>
)

function Selected({ contacts }: { contacts: ContactJob['contacts'] }) {
  const { segment_id, broadcast_id, filter } = contacts
  const words = selectionWords(contacts)
  if (segment_id !== null)
    return (
      <>
        {TEXTS.allIn} <Segment id={segment_id} />
      </>
    )
  if (broadcast_id !== null) return <PageLink to={`/broadcasts/${broadcast_id}`}>{words}</PageLink>
  return filter === null ? <bdi>{words}</bdi> : <FilterOf filter={filter} />
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
