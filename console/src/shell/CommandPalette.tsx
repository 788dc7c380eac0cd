import { useDebouncedValue } from '@mantine/hooks'
import { closeSpotlight, Spotlight } from '@mantine/spotlight'
import { useState } from 'react'
import { useRecord } from '../api/queries'
import { ErrorSentence } from '../parts/ErrorAlert'
import { wordsOf } from '../parts/StateBadge'
import { useMay, useMe } from '../session/me'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'
import { useGo } from './address'
import { furtherSearches } from './further-searches'
import { addressOfRecord } from './record-addresses'
import { SECTIONS, sectionsOf } from './sections'

const TYPING_MS = 200
const SHOWN_MAX = 30

/** Common acts: each opens its form, on a page of its section. */
const ACTS: readonly { name: string; to: string; command?: string; scopes: readonly string[] }[] = [
  { name: TEXTS.acts.addDomain, to: '/domains', command: 'add-domain', scopes: ['domains:write'] },
  { name: TEXTS.acts.createContact, to: '/contacts', command: 'create-contact', scopes: ['contacts:write'] },
  { name: TEXTS.acts.importContacts, to: '/imports/new', scopes: ['contact-imports:write'] },
  { name: TEXTS.acts.writeBroadcast, to: '/broadcasts/new', scopes: ['broadcasts:write'] },
  { name: TEXTS.acts.writeTemplate, to: '/templates/new', scopes: ['templates:write'] },
  { name: TEXTS.acts.buildAutomation, to: '/automations/new', scopes: ['automations:write'] },
  { name: TEXTS.acts.makeSegment, to: '/segments/new', scopes: ['segments:write'] },
  { name: TEXTS.acts.makeTopic, to: '/topics', command: 'create-topic', scopes: ['topics:write'] },
  { name: TEXTS.acts.makeProperty, to: '/properties', command: 'create-property', scopes: ['contact-properties:write'] },
  { name: TEXTS.acts.suppress, to: '/suppressions', command: 'suppress', scopes: ['suppressions:write'] },
  { name: TEXTS.acts.makeKey, to: '/api-keys', command: 'create-key', scopes: ['api-keys:write'] },
  { name: TEXTS.acts.makeEvent, to: '/events', command: 'create-event', scopes: ['events:write'] },
  { name: TEXTS.acts.addWebhook, to: '/webhooks', command: 'create-webhook', scopes: ['webhooks:write'] },
  { name: TEXTS.acts.invite, to: '/members', command: 'invite', scopes: ['members:write'] },
  { name: TEXTS.acts.addPasskey, to: '/account', command: 'add-passkey', scopes: [] },
]

type Line = { id: string; label: string; description?: string; onClick: () => void }

/** One field that finds everything: sections and acts by their name, records by the API. */
export function CommandPalette() {
  const [query, setQuery] = useState('')
  const words = query.trim().toLowerCase()
  const [settled] = useDebouncedValue(query.trim(), TYPING_MS)
  const go = useGo()
  const may = useMay()
  const me = useMe()
  const found = useRecord('/search', { query: { q: settled } }, { isEnabled: settled !== '' && me.team !== null })
  const isSearching = words !== '' && (found.isFetching || settled.toLowerCase() !== words)

  const fits = ({ name }: { name: string }) => name.toLowerCase().includes(words)
  const known = new Set(SECTIONS.map(({ path }) => `/${path}`))
  const places = sectionsOf(me, may)
    .filter(fits)
    .map(({ name, path }): Line => ({ id: `section:${path}`, label: name, onClick: () => go(`/${path}`) }))
  const acts = ACTS.filter(({ to, scopes }) => known.has(`/${to.split('/')[1]}`) && may(...scopes))
    .filter(fits)
    .map(
      ({ name, to, command }): Line => ({
        id: `act:${name}`,
        label: name,
        onClick: () => go(to, command === undefined ? {} : { do: command }),
      }),
    )
  // Enter opens the first line, so none is there that other words have found.
  const areOfWords = settled !== '' && settled.toLowerCase() === words && !found.isPlaceholderData
  const records = (areOfWords ? (found.data?.data ?? []) : []).flatMap((one): Line[] => {
    const address = addressOfRecord(one)
    if (address === null) return []
    const description = [wordsOf(one.type), one.subtitle].filter(Boolean).join(' · ')
    return [{ id: `${one.type}:${one.id}`, label: one.title || one.id, description, onClick: () => go(address) }]
  })
  const further = (isSearching ? [] : furtherSearches(query.trim(), may)).map(
    ({ name, path, search }): Line => ({ id: `further:${name}`, label: name, onClick: () => go(path, search) }),
  )
  const groups = [
    { group: TEXTS.searchGoTo, actions: places },
    { group: TEXTS.searchFound, actions: records.slice(0, SHOWN_MAX) },
    { group: TEXTS.searchActs, actions: acts },
    // What lies further back is found by these lists.
    { group: found.data?.is_complete === false ? TEXTS.searchIncomplete : TEXTS.searchFurther, actions: further },
  ].filter(({ actions }) => actions.length > 0)
  return (
    <Spotlight
      actions={groups}
      query={query}
      onQueryChange={setQuery}
      // The API has searched already.
      filter={(_query, actions) => actions}
      nothingFound={isSearching ? TEXTS.searching : found.error ? <ErrorSentence error={found.error} /> : TEXTS.searchNothing}
      searchProps={{
        placeholder: TEXTS.searchHint,
        'aria-label': TEXTS.search,
        // What the API has found stands there later than the kit chooses its first line.
        onKeyDown: ({ key, currentTarget }) => {
          if (key !== 'Enter' || currentTarget.ownerDocument.querySelector('[data-action][data-selected]') !== null) return
          const [first] = groups.flatMap(({ actions }) => actions)
          if (first === undefined) return
          closeSpotlight()
          first.onClick()
        },
      }}
      shortcut={['mod + K']}
      attributes={{ content: { 'aria-label': TEXTS.search } }}
      scrollable
      maxHeight={480}
    />
  )
}
