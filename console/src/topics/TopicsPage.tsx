import { Badge } from '@mantine/core'
import { useRows } from '../api/queries'
import { DataList, Dimmed } from '../parts/DataList'
import { Page } from '../parts/Page'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { TOPIC_TEXTS as TEXTS } from '../texts/topics'
import { CreateTopic } from './TopicForm'

export default function TopicsPage() {
  const may = useMay()
  const list = useRows('/topics')
  return (
    <Page title={TEXTS.title} acts={may('topics:write') && <CreateTopic />}>
      <DataList
        label={TEXTS.title}
        list={list}
        to={({ id }) => `/topics/${id}`}
        empty={TEXTS.empty}
        columns={[
          { name: TEXTS.name, cell: ({ name }) => <bdi>{name}</bdi> },
          { name: TEXTS.standard, cell: ({ default_subscription }) => TEXTS.standardsShort[default_subscription] },
          {
            name: TEXTS.visibility,
            cell: ({ visibility }) => <Badge variant="default">{TEXTS.visibilitiesShort[visibility]}</Badge>,
          },
          { name: TEXTS.description, cell: ({ description }) => <Dimmed>{description}</Dimmed>, isWide: true },
          { name: TEXTS.createdAt, cell: ({ created_at }) => <Time at={created_at} form="day" />, isWide: true },
        ]}
      />
    </Page>
  )
}
