import { Alert, Box, Button, Checkbox, Group, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import { type CSSProperties, type ReactNode, useRef } from 'react'
import type { Rows } from '../api/queries'
import { useGo } from '../shell/address'
import { usePageKeys } from '../shell/page-keys'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'
import { NotLoaded } from './ErrorAlert'
import { Loading } from './Loading'
import { IN_ONE_LINE } from './one-line'
import { PageLink } from './PageLink'
import { useIsPhone } from './use-is-phone'

export type Column<Row> = {
  name: string
  cell: (row: Row) => ReactNode
  /** Left out on a phone. */
  isWide?: boolean
  /** Left out on a tablet too. */
  isExtra?: boolean
  isNumber?: boolean
  /** Buttons, at the end of the row. */
  isActs?: boolean
  /** The share of the width that it has, in one line: what does not fit is cut off there. */
  share?: `${number}%`
  /** On a phone it stands at the end of the first line, as times do. */
  isAside?: boolean
}

type Selection = { chosen: ReadonlySet<string>; choose: (chosen: ReadonlySet<string>) => void; acts: ReactNode }

type DataListProps<Row> = {
  label: string
  list: Rows<Row>
  columns: readonly Column<Row>[]
  /** The page of a row. The first column is the link. */
  to?: (row: Row) => string
  /** What is said when there is none, and what to do then. */
  empty?: ReactNode
  /** Whether a filter is set: the sentence for nothing is then another. */
  isFiltered?: boolean
  selection?: Selection
}

/** A list by pages. j and k go through its rows, Enter opens one. */
export function DataList<Row extends { id: string }>({
  label,
  list,
  columns,
  to,
  empty,
  isFiltered = false,
  selection,
}: DataListProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const go = useGo()
  const isPhone = useIsPhone()
  const shown = isPhone ? columns.filter(({ isWide, isExtra }) => !isWide && !isExtra) : columns
  usePageKeys(
    list.rows.length === 0
      ? []
      : [
          { keys: 'j', what: TEXTS.keyNext, act: () => step(body.current, 1) },
          { keys: 'k', what: TEXTS.keyPrevious, act: () => step(body.current, -1) },
          ...(to ? [{ keys: 'Enter', what: TEXTS.keyOpen }] : []),
        ],
  )
  if (list.error && list.rows.length === 0) return <NotLoaded error={list.error} onRetry={list.retry} />
  if (list.isLoading) return <Loading label={label} />
  return (
    // Rows that another filter found are neither opened nor chosen.
    <Stack gap="sm" inert={list.isOfOtherFilter} opacity={list.isOfOtherFilter ? OTHERS_OPACITY : 1}>
      {selection && selection.chosen.size > 0 && (
        <Group role="toolbar" aria-label={TEXTS.chosenRows}>
          {selection.acts}
        </Group>
      )}
      {list.rows.length === 0 ? (
        <Box p="xl" ta="center" c="dimmed">
          {isFiltered ? TEXTS.nothingFound : (empty ?? TEXTS.nothing)}
        </Box>
      ) : (
        <Table.ScrollContainer minWidth={0} type="native">
          <Table aria-label={label} role="table" {...(isPhone && { style: BLOCK })}>
            <Table.Thead {...(isPhone && { style: UNSEEN })} role="rowgroup">
              <Table.Tr role="row">
                {selection && (
                  <Table.Th w={36} role="columnheader">
                    {allOf(list.rows, selection)}
                  </Table.Th>
                )}
                {shown.map(({ name, isNumber, isActs, isExtra }) => (
                  <Table.Th
                    key={name}
                    {...(isExtra && { visibleFrom: 'lg' })}
                    ta={isNumber || isActs ? 'right' : undefined}
                    // What is only heard stays within the table, which may be wider than the page.
                    pos="relative"
                    role="columnheader"
                  >
                    {isActs ? <VisuallyHidden>{name}</VisuallyHidden> : name}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody ref={body} role="rowgroup" {...(isPhone && { style: BLOCK })}>
              {list.rows.map((row) => (
                <Table.Tr
                  key={row.id}
                  role="row"
                  tabIndex={to ? -1 : undefined}
                  data-row
                  {...(isPhone && { style: STACKED })}
                  onKeyDown={(event) => to && event.key === 'Enter' && event.target === event.currentTarget && go(to(row))}
                >
                  {selection && (
                    <Table.Td role="cell" {...(isPhone && { p: 0 })}>
                      {oneOf(row, selection)}
                    </Table.Td>
                  )}
                  {shown.map(({ name, cell, isNumber, isActs, isExtra, share, isAside = false }, index) => (
                    <Table.Td
                      key={name}
                      {...(isExtra && { visibleFrom: 'lg' })}
                      role="cell"
                      ta={(isNumber || isActs) && !isPhone ? 'right' : undefined}
                      style={
                        isPhone
                          ? index === 0
                            ? {
                                ...MAIN,
                                ...(share && { ...CUT_LINE, maxWidth: 'none' }),
                                flex: `1 1 ${widthOfMain(shown, selection !== undefined)}`,
                              }
                            : isAside
                              ? ASIDE
                              : share
                                ? STACKED_LINE
                                : STACKED_CELL
                          : share
                            ? { ...CUT_LINE, width: share }
                            : isNumber
                              ? IN_ONE_LINE
                              : index === 0
                                ? FIRST
                                : OTHER
                      }
                    >
                      {isPhone && isNumber && <Dimmed>{name} </Dimmed>}
                      {to && index === 0 ? <PageLink to={to(row)}>{cell(row)}</PageLink> : cell(row)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {list.error && list.rows.length > 0 && <NotLoaded error={list.error} onRetry={list.retry} />}
      <More list={list} />
    </Stack>
  )
}

const OTHERS_OPACITY = 0.5
const ANYWHERE: CSSProperties = { overflowWrap: 'anywhere' }
const FIRST: CSSProperties = { ...ANYWHERE, minWidth: 140 }
/** Words stay whole, also where many columns share the width of a tablet. */
const OTHER: CSSProperties = { ...ANYWHERE, minWidth: 96 }
const CUT_LINE: CSSProperties = { maxWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }
/** A table would be as wide as its longest line. */
const BLOCK: CSSProperties = { display: 'block' }
/** A row of a phone: the first cell with what stands aside of it in a line of their own, the others below. */
const STACKED: CSSProperties = { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '4px 12px', padding: '10px 0' }
const MAIN: CSSProperties = { ...ANYWHERE, padding: 0, minWidth: 0 }
/** A time with its year fits. What stands beside it is as wide as the rest, so that nothing else comes into their line. */
const ASIDE: CSSProperties = { padding: 0, order: 0, flex: '0 0 132px', textAlign: 'right' }
const STACKED_CELL: CSSProperties = { ...ANYWHERE, padding: 0, order: 1, minWidth: 0, maxWidth: '100%' }
const STACKED_LINE: CSSProperties = { ...CUT_LINE, maxWidth: 'none', padding: 0, order: 1, flex: '1 1 40%' }

/** Two cells share a line. */
function widthOfMain(columns: readonly { isAside?: boolean }[], isChosen: boolean): string {
  const others = (columns.some(({ isAside }) => isAside) ? 144 : columns.length <= 2 ? 160 : 0) + (isChosen ? 32 : 0)
  return `calc(100% - ${others}px)`
}
/** Heard, and not seen. */
const UNSEEN: CSSProperties = {
  position: 'absolute',
  width: 1,
  height: 1,
  overflow: 'hidden',
  clipPath: 'inset(50%)',
  whiteSpace: 'nowrap',
}

function More<Row>({ list }: { list: Rows<Row> }) {
  if (!list.hasMore) return null
  return (
    <Group justify="center">
      {list.searchedTo !== null && <Alert color="blue">{TEXTS.searchedTo}</Alert>}
      <Button variant="default" onClick={list.loadMore} loading={list.isLoadingMore}>
        {list.searchedTo === null ? TEXTS.more : TEXTS.goOn}
      </Button>
    </Group>
  )
}

const allOf = <Row extends { id: string }>(rows: Row[], { chosen, choose }: Selection) => (
  <Checkbox
    aria-label={TEXTS.chooseAll}
    checked={rows.every(({ id }) => chosen.has(id))}
    indeterminate={chosen.size > 0 && !rows.every(({ id }) => chosen.has(id))}
    onChange={({ currentTarget }) => choose(new Set(currentTarget.checked ? rows.map(({ id }) => id) : []))}
  />
)

const oneOf = <Row extends { id: string }>({ id }: Row, { chosen, choose }: Selection) => (
  <Checkbox
    aria-label={TEXTS.choose}
    checked={chosen.has(id)}
    onChange={({ currentTarget }) => choose(new Set(currentTarget.checked ? [...chosen, id] : [...chosen].filter((each) => each !== id)))}
  />
)

/** The focus goes to the row after or before the one that has it. */
function step(body: HTMLTableSectionElement | null, by: number): void {
  const rows = [...(body?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const next = rows[Math.min(Math.max(at + by, 0), rows.length - 1)]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}

export const Dimmed = ({ children }: { children: ReactNode }) => (
  <Text span c="dimmed" size="sm">
    {children}
  </Text>
)
