import { useRows } from '../api/queries'
import { DataList, Dimmed } from '../parts/DataList'
import { Page } from '../parts/Page'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { EVENT_TEXTS as TEXTS } from '../texts/events'
import { CreateEvent } from './EventForm'
import { schemaWords } from './event-fields'

export default function EventsPage() {
  const may = useMay()
  const list = useRows('/events')
  return (
    <Page title={TEXTS.title} acts={may('events:write') && <CreateEvent />}>
      <DataList
        label={TEXTS.title}
        list={list}
        to={({ id }) => `/events/${id}`}
        empty={TEXTS.empty}
        columns={[
          { name: TEXTS.name, cell: ({ name }) => <bdi>{name}</bdi> },
          { name: TEXTS.fields, cell: ({ schema }) => <Dimmed>{schemaWords(schema)}</Dimmed> },
          { name: TEXTS.createdAt, cell: ({ created_at }) => <Time at={created_at} form="day" />, isWide: true },
        ]}
      />
    </Page>
  )
}
