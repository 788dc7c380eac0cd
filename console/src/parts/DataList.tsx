import { Alert, Box, Button, Center, Checkbox, Group, Loader, Stack, Table, Text } from '@mantine/core'
import { type ReactNode, useRef } from 'react'
import type { Rows } from '../api/queries'
import { useGo } from '../shell/address'
import { usePageKeys } from '../shell/page-keys'
import { Problem } from '../shell/problems'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'
import { PageLink } from './PageLink'

export type Column<Row> = {
  name: string
  cell: (row: Row) => ReactNode
  /** Left out on a phone. */
  isWide?: boolean
  isNumber?: boolean
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
  usePageKeys(
    list.rows.length === 0
      ? []
      : [
          { keys: 'j', what: TEXTS.keyNext, act: () => step(body.current, 1) },
          { keys: 'k', what: TEXTS.keyPrevious, act: () => step(body.current, -1) },
          ...(to ? [{ keys: 'Enter', what: TEXTS.keyOpen }] : []),
        ],
  )
  if (list.error && list.rows.length === 0) return <Problem error={list.error} onRetry={list.retry} />
  if (list.isLoading)
    return (
      <Center p="xl">
        <Loader aria-label={label} />
      </Center>
    )
  return (
    <Stack gap="sm">
      {selection && selection.chosen.size > 0 && <Group role="toolbar">{selection.acts}</Group>}
      {list.rows.length === 0 ? (
        <Box p="xl" ta="center" c="dimmed">
          {isFiltered ? TEXTS.nothingFound : (empty ?? TEXTS.nothing)}
        </Box>
      ) : (
        <Table.ScrollContainer minWidth={0}>
          <Table aria-label={label}>
            <Table.Thead>
              <Table.Tr>
                {selection && <Table.Th w={36}>{allOf(list.rows, selection)}</Table.Th>}
                {columns.map(({ name, isWide, isNumber }) => (
                  <Table.Th key={name} ta={isNumber ? 'right' : undefined} visibleFrom={isWide ? 'sm' : undefined}>
                    {name}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody ref={body}>
              {list.rows.map((row) => (
                <Table.Tr
                  key={row.id}
                  tabIndex={to ? -1 : undefined}
                  data-row
                  onKeyDown={(event) => to && event.key === 'Enter' && event.target === event.currentTarget && go(to(row))}
                >
                  {selection && <Table.Td>{oneOf(row, selection)}</Table.Td>}
                  {columns.map(({ name, cell, isWide, isNumber }, index) => (
                    <Table.Td
                      key={name}
                      ta={isNumber ? 'right' : undefined}
                      visibleFrom={isWide ? 'sm' : undefined}
                      style={{ overflowWrap: 'anywhere' }}
                    >
                      {to && index === 0 ? <PageLink to={to(row)}>{cell(row)}</PageLink> : cell(row)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {list.error && list.rows.length > 0 && <Problem error={list.error} onRetry={list.retry} />}
      <More list={list} />
    </Stack>
  )
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
