import { Button, Text } from '@mantine/core'
import { countWords, type Selection, useSelectionCount } from '../contact-jobs/jobs'
import { countOf } from '../parts/numbers'
import { CONTACT_JOB_TEXTS as TEXTS } from '../texts/contact-jobs'

type ChosenContactsProps = {
  /** How many rows are chosen. */
  count: number
  /** All that the filters of the list find, and whether they are chosen: also those that are not shown. */
  all: Selection
  isAll: boolean
  /** Whether there are more than are shown. */
  hasMore: boolean
  onAll: () => void
  onNone: () => void
  onAct: () => void
}

/** What can be done with the contacts that were chosen in a list, or with all that its filter finds. */
export function ChosenContacts({ count, all, isAll, hasMore, onAll, onNone, onAct }: ChosenContactsProps) {
  const { data: found } = useSelectionCount(all, hasMore || isAll)
  return (
    <>
      <Text fw={600}>{TEXTS.chosen(isAll && found ? countWords(found) : countOf(count))}</Text>
      {hasMore && !isAll && (
        <Button variant="subtle" size="xs" onClick={onAll}>
          {found ? TEXTS.chooseAll(countWords(found)) : TEXTS.chooseAllUncounted}
        </Button>
      )}
      <Button variant="subtle" size="xs" onClick={onNone}>
        {TEXTS.chooseNone}
      </Button>
      <Button size="xs" onClick={onAct}>
        {TEXTS.actOn}
      </Button>
    </>
  )
}
