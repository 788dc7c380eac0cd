import { Button, Group, Select, Text } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { Each, EachItem } from '../api/each'
import { type RowOf, type Rows, useAllRows } from '../api/queries'
import { ConfirmButton } from '../parts/ConfirmButton'
import { CONTACT_TEXTS as CONTACT } from '../texts/contacts'
import { everyContact } from './every-contact'

const TEXTS = CONTACT.chosen

type ChosenContactsProps = {
  chosen: ReadonlySet<string>
  choose: (chosen: ReadonlySet<string>) => void
  list: Rows<RowOf<'/contacts'>>
  filters: { search?: string; segment_id?: string }
  onEach: Each['start']
}

/** What can be done with the contacts that were chosen in a list, or with all that its filter finds. */
export function ChosenContacts({ chosen, choose, list, filters, onEach }: ChosenContactsProps) {
  // Those that a filter found are not all on the page.
  const [found, setFound] = useState<readonly EachItem[]>([])
  const [isMore, setMore] = useState(false)
  const all = useAct({
    run: () => everyContact(filters),
    changes: [],
    onDone: (every) => {
      setFound(every.items)
      setMore(every.isMore)
      choose(new Set(every.items.map(({ id }) => id)))
    },
  })
  const known = new Map([...found, ...list.rows.map(({ id, email }) => ({ id, name: email }))].map((item) => [item.id, item]))
  const items = [...chosen].map((id) => known.get(id) ?? { id, name: id })

  const start = async (name: string, run: (item: EachItem) => Promise<unknown>) => {
    const { refused, done, total } = await onEach(name, items, run)
    // What was refused stays chosen, and so does what a stop left.
    if (done === total) choose(new Set())
    else if (refused.length > 0 && done + refused.length === total) choose(new Set(refused.map(({ item }) => item.id)))
  }
  const unsubscribe = (item: EachItem) =>
    answer(api.PATCH('/contacts/{contact_id}', { params: { path: { contact_id: item.id } }, body: { unsubscribed: true } }))
  const erase = (item: EachItem) => answer(api.DELETE('/contacts/{contact_id}', { params: { path: { contact_id: item.id } } }))
  const addTo = (segment_id: string) => (item: EachItem) =>
    answer(api.POST('/contacts/{contact_id}/segments/{segment_id}', { params: { path: { contact_id: item.id, segment_id } } }))
  const removeFrom = (segment_id: string) => (item: EachItem) =>
    answer(api.DELETE('/contacts/{contact_id}/segments/{segment_id}', { params: { path: { contact_id: item.id, segment_id } } }))
  const segmentId = filters.segment_id
  const count = chosen.size
  return (
    <>
      <Text fw={600}>{TEXTS.count(count)}</Text>
      {list.hasMore && found.length === 0 && (
        <Button variant="subtle" size="xs" onClick={() => all.mutate()} loading={all.isPending}>
          {TEXTS.all}
        </Button>
      )}
      <Button variant="subtle" size="xs" onClick={() => choose(new Set())}>
        {TEXTS.none}
      </Button>
      <SegmentChoice onChoose={(id) => void start(TEXTS.addedTo, addTo(id))} />
      {segmentId !== undefined && (
        <ConfirmButton
          name={TEXTS.remove}
          size="xs"
          color="indigo"
          variant="default"
          question={TEXTS.removeQuestion}
          onConfirm={() => void start(TEXTS.removing, removeFrom(segmentId))}
        />
      )}
      <ConfirmButton
        name={TEXTS.unsubscribe}
        size="xs"
        variant="default"
        question={CONTACT.unsubscribeQuestion}
        onConfirm={() => void start(TEXTS.unsubscribing, unsubscribe)}
      />
      <ConfirmButton
        name={TEXTS.erase}
        size="xs"
        question={
          <>
            {CONTACT.eraseWhat.join(' ')} {CONTACT.eraseFinal}
          </>
        }
        typed={TEXTS.eraseWord(count)}
        onConfirm={() => void start(TEXTS.erasing, erase)}
      />
      {isMore && <Text size="sm">{TEXTS.limited(found.length)}</Text>}
    </>
  )
}

/** A choice is the act: what was chosen is added to the segment at once. */
function SegmentChoice({ onChoose }: { onChoose: (segmentId: string) => void }) {
  const segments = useAllRows('/segments')
  return (
    <Group gap={4}>
      <Select
        size="xs"
        w={190}
        searchable
        placeholder={TEXTS.add}
        aria-label={TEXTS.add}
        value={null}
        data={segments.rows.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(id) => id !== null && onChoose(id)}
      />
    </Group>
  )
}
