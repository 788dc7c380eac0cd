import { ActionIcon, Group, Select, Stack, Text } from '@mantine/core'
import { X } from 'lucide-react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { useRows } from '../api/queries'
import { NotLoaded } from '../parts/ErrorAlert'
import { IN_ONE_LINE } from '../parts/one-line'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { useListedSegments } from '../segments/listed-segments'
import { useMay } from '../session/me'
import { CONTACT_TEXTS as TEXTS } from '../texts/contacts'

const SHOWN_MAX = 100
const CHANGES = ['contacts', 'segments']

/** The segments that a contact is in; it is added to another, or removed, at once. A filter selects its contacts itself. */
export function ContactSegments({ contactId }: { contactId: string }) {
  const may = useMay()
  const list = useRows('/contacts/{contact_id}/segments', { path: { contact_id: contactId }, query: { limit: SHOWN_MAX } })
  const mayChoose = may('contacts:write', 'segments:read')
  const segments = useListedSegments({ isEnabled: mayChoose })
  const pathTo = (segment_id: string) => ({ params: { path: { contact_id: contactId, segment_id } } })
  const add = useAct({
    run: (id: string) => answer(api.POST('/contacts/{contact_id}/segments/{segment_id}', pathTo(id))),
    done: TEXTS.addedToSegment,
    changes: CHANGES,
  })
  const remove = useAct({
    run: (id: string) => answer(api.DELETE('/contacts/{contact_id}/segments/{segment_id}', pathTo(id))),
    done: TEXTS.removedFromSegment,
    changes: CHANGES,
  })
  const others = segments.filter(({ id }) => !list.rows.some((one) => one.id === id))
  return (
    <Section title={TEXTS.segments}>
      {list.error && <NotLoaded error={list.error} onRetry={list.retry} />}
      <Stack gap={4}>
        {list.rows.length === 0 && !list.isLoading && !list.error && <Text c="dimmed">{TEXTS.inNoSegment}</Text>}
        {list.rows.map(({ id, name, has_filter }) => (
          <Group key={id} justify="space-between" wrap="nowrap">
            <PageLink to={`/segments/${id}`} style={{ overflowWrap: 'anywhere' }}>
              <bdi>{name}</bdi>
            </PageLink>
            {has_filter && (
              <Text span c="dimmed" size="sm" style={IN_ONE_LINE}>
                {TEXTS.byFilter}
              </Text>
            )}
            {!has_filter && may('contacts:write') && (
              <ActionIcon
                variant="subtle"
                color="gray"
                onClick={() => remove.mutate(id)}
                loading={remove.isPending && remove.variables === id}
                aria-label={TEXTS.removeFromSegment(name)}
              >
                <X size={16} />
              </ActionIcon>
            )}
          </Group>
        ))}
      </Stack>
      {mayChoose && others.length > 0 && (
        <Select
          aria-label={TEXTS.addToSegment}
          placeholder={TEXTS.addToSegment}
          searchable
          value={null}
          disabled={add.isPending}
          data={others.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(id) => id !== null && add.mutate(id)}
        />
      )}
    </Section>
  )
}
