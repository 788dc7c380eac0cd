import { Alert, Text } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { RowOf } from '../api/queries'
import { ConfirmButton } from '../parts/ConfirmButton'
import { SUPPRESSION_TEXTS as TEXTS } from '../texts/suppressions'

type Suppression = RowOf<'/suppressions'>
type Filters = { search?: string; origin?: string }

/** The API takes so many at a time. */
const AT_ONCE = 100
/** A longer list takes several acts, so that a mistake has a bound. */
const ALL_MAX = 10_000

type RemoveSuppressionsProps = {
  chosen: ReadonlySet<string>
  rows: readonly Suppression[]
  /** Whether the filters find more than is shown. */
  hasMore: boolean
  filters: Filters
  onDone: () => void
}

/** Takes those off the list that were chosen, or all that the filters find. */
export function RemoveSuppressions({ chosen, rows, hasMore, filters, onDone }: RemoveSuppressionsProps) {
  const isReported = rows.some(({ id, origin }) => origin === 'complaint' && chosen.has(id))
  const isWhole = hasMore && rows.length > 0 && rows.every(({ id }) => chosen.has(id))
  return (
    <>
      <RemoveChosen chosen={chosen} isReported={isReported} onDone={onDone} />
      {isWhole && <RemoveAll filters={filters} onDone={onDone} />}
    </>
  )
}

function RemoveChosen({ chosen, isReported, onDone }: { chosen: ReadonlySet<string>; isReported: boolean; onDone: () => void }) {
  const remove = useAct({
    run: async () => {
      const ids = [...chosen]
      let removed = 0
      for (let at = 0; at < ids.length; at += AT_ONCE) removed += await removeThese(ids.slice(at, at + AT_ONCE))
      return removed
    },
    done: TEXTS.removed,
    changes: ['suppressions'],
    onDone,
  })
  return (
    <ConfirmButton
      name={TEXTS.removeMany(chosen.size)}
      act={TEXTS.remove}
      question={<Question isReported={isReported} />}
      onConfirm={() => remove.mutate()}
      isBusy={remove.isPending}
    />
  )
}

/** Page after page: what was removed before something went wrong stays removed. */
function RemoveAll({ filters, onDone }: { filters: Filters; onDone: () => void }) {
  const [count, setCount] = useState(0)
  const remove = useAct({
    run: async () => {
      let removed = 0
      let after: string | undefined
      do {
        const query = { ...filters, limit: AT_ONCE, ...(after !== undefined && { after }) }
        const page = await answer(api.GET('/suppressions', { params: { query: query as never } }))
        removed += await removeThese(page.data.map(({ id }) => id))
        setCount(removed)
        after = page.has_more ? (page.searched_to ?? page.data.at(-1)?.id) : undefined
      } while (after !== undefined && removed < ALL_MAX)
      return { removed, isAll: after === undefined }
    },
    done: ({ removed, isAll }) => (isAll ? TEXTS.removed(removed) : TEXTS.removedSome(removed)),
    changes: ['suppressions'],
    onDone,
  })
  const isFiltered = filters.search !== undefined || filters.origin !== undefined
  return (
    <>
      <ConfirmButton
        name={isFiltered ? TEXTS.removeFound : TEXTS.removeAll}
        act={TEXTS.remove}
        typed={TEXTS.removeWord}
        question={<Question isReported={filters.origin === undefined || filters.origin === 'complaint'} />}
        onConfirm={() => remove.mutate()}
        isBusy={remove.isPending}
      />
      {remove.isPending && <Text role="status">{TEXTS.removing(count)}</Text>}
    </>
  )
}

async function removeThese(ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0
  const { data } = await answer(api.POST('/suppressions/batch/remove', { body: { ids: [...ids] } }))
  return data.length
}

const Question = ({ isReported }: { isReported: boolean }) => (
  <>
    {TEXTS.removeManyQuestion}
    {isReported && (
      <Alert color="orange" mt="sm">
        {TEXTS.removeReported}
      </Alert>
    )}
  </>
)
