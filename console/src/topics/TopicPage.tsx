import { answer, api } from '../api/client'
import { useRecord, useRows } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { Copyable } from '../parts/Copyable'
import { DataList } from '../parts/DataList'
import { DeleteMenu } from '../parts/DeleteMenu'
import { Facts } from '../parts/Facts'
import { Page } from '../parts/Page'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useAddressPart, useGo } from '../shell/address'
import { TOPIC_TEXTS as TEXTS } from '../texts/topics'
import { EditTopic } from './TopicForm'

export default function TopicPage() {
  const id = useAddressPart('topicId')
  const may = useMay()
  const go = useGo()
  const { data: topic, error, refetch } = useRecord('/topics/{topic_id}', { path: { topic_id: id } })
  if (!topic) return <Awaited read={{ error, refetch }} />
  return (
    <Page
      title={topic.name}
      back={{ to: '/topics', name: TEXTS.title }}
      acts={
        may('topics:write') && (
          <>
            <EditTopic topic={topic} />
            <DeleteMenu
              name={TEXTS.remove}
              means={TEXTS.removeMeans}
              run={(query) => answer(api.DELETE('/topics/{topic_id}', { params: { path: { topic_id: id }, query } }))}
              done={TEXTS.removed}
              changes={['topics', 'contacts', 'broadcasts']}
              onDone={() => go('/topics')}
            />
          </>
        )
      }
    >
      <Section title={TEXTS.facts}>
        <Facts
          facts={[
            [TEXTS.description, topic.description],
            [TEXTS.standard, TEXTS.standards[topic.default_subscription]],
            [TEXTS.visibility, TEXTS.visibilities[topic.visibility]],
            [TEXTS.createdAt, <Time key="created" at={topic.created_at} />],
            [TEXTS.id, <Copyable key="id" text={topic.id} />],
          ]}
        />
      </Section>
      {may('broadcasts:read') && <Broadcasts topicId={id} />}
    </Page>
  )
}

function Broadcasts({ topicId }: { topicId: string }) {
  const list = useRows('/broadcasts', { query: { topic_id: topicId } })
  return (
    <Section title={TEXTS.uses}>
      <DataList
        label={TEXTS.uses}
        list={list}
        to={({ id }) => `/broadcasts/${id}`}
        empty={TEXTS.noUses}
        columns={[
          { name: TEXTS.name, cell: ({ name }) => <bdi>{name}</bdi> },
          { name: TEXTS.state, cell: ({ status }) => <StateBadge state={status} /> },
          { name: TEXTS.createdAt, cell: ({ created_at }) => <Time at={created_at} />, isWide: true },
        ]}
      />
    </Section>
  )
}
