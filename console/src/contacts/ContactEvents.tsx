import { Accordion, Button, Center, Group, Text } from '@mantine/core'
import { useRows } from '../api/queries'
import { Dimmed } from '../parts/DataList'
import { NotLoaded } from '../parts/ErrorAlert'
import { Json } from '../parts/Json'
import { Loading } from '../parts/Loading'
import { Time } from '../parts/Time'
import { CONTACT_TEXTS as TEXTS } from '../texts/contacts'
import { SHELL_TEXTS } from '../texts/shell'

const SHOWN = 20

/** The events that were sent for a contact, each with its payload. The contact is named by its id or by its address. */
export function ContactEvents({ contactId }: { contactId: string }) {
  const list = useRows('/contacts/{contact_id}/events', { path: { contact_id: contactId }, query: { limit: SHOWN } })
  if (list.error && list.rows.length === 0) return <NotLoaded error={list.error} onRetry={list.retry} />
  if (list.isLoading) return <Loading />
  if (list.rows.length === 0) return <Text c="dimmed">{TEXTS.noEvents}</Text>
  return (
    <>
      <Accordion variant="contained" multiple>
        {list.rows.map(({ id, event, payload, created_at }) => (
          <Accordion.Item key={id} value={id}>
            <Accordion.Control>
              <Group gap="sm">
                <bdi>{event}</bdi>
                <Dimmed>
                  <Time at={created_at} />
                </Dimmed>
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              <Json value={payload} label={TEXTS.payload} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
      {list.hasMore && (
        <Center>
          <Button variant="default" onClick={list.loadMore} loading={list.isLoadingMore}>
            {SHELL_TEXTS.more}
          </Button>
        </Center>
      )}
    </>
  )
}
