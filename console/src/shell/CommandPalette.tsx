import { Spotlight, type SpotlightActionData, type SpotlightActionGroupData } from '@mantine/spotlight'
import { useState } from 'react'
import { useMay } from '../session/me'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'
import { useGo } from './address'
import { SECTIONS } from './sections'

const SHOWN_MAX = 30

/** One field that finds everything: sections by their name, records by the API. */
export function CommandPalette() {
  const [query, setQuery] = useState('')
  const go = useGo()
  const may = useMay()

  const places = SECTIONS.filter(({ scopes, isOperators }) => may(...scopes) && !isOperators)
    .filter(({ name }) => name.toLowerCase().includes(query.trim().toLowerCase()))
    .map(({ name, path }): SpotlightActionData => ({ id: `section:${path}`, label: name, onClick: () => go(`/${path}`) }))
  const records: SpotlightActionData[] = []
  const groups: SpotlightActionGroupData[] = [
    { group: TEXTS.search, actions: records.slice(0, SHOWN_MAX) },
    { group: TEXTS.searchGoTo, actions: places },
  ].filter(({ actions }) => actions.length > 0)
  return (
    <Spotlight
      actions={groups}
      query={query}
      onQueryChange={setQuery}
      // The API has searched already.
      filter={(_query, actions) => actions}
      nothingFound={TEXTS.searchNothing}
      searchProps={{ placeholder: TEXTS.searchHint, 'aria-label': TEXTS.search }}
      shortcut={['mod + K']}
      scrollable
      maxHeight={480}
    />
  )
}
