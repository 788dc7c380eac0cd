import { Button, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { answer, api } from '../api/client'
import { keyOf } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { Dimmed } from '../parts/DataList'
import { countOf } from '../parts/numbers'
import { withCode } from '../parts/with-code'
import { IMPORT_TEXTS as TEXTS } from '../texts/imports'
import { rowsIn } from './csv'

/** All of them are in the file that can be downloaded. */
const SHOWN_MAX = 50

/** The first rows that were refused, each with the reason, and the file with all of them. */
export function RefusedRows({ url, all }: { url: string | null; all: number }) {
  const read = useQuery({
    queryKey: keyOf('/contacts/imports', { refused: url }),
    queryFn: () => rowsAt(pathOf(url ?? '')),
    enabled: url !== null,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (url === null) return <Text c="dimmed">{TEXTS.gone}</Text>
  const [[, , ...names] = [], ...rows] = read.data ?? []
  return (
    <>
      {!read.data && <Awaited read={read} />}
      {rows.length > 0 && (
        <Table aria-label={TEXTS.refused}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={90}>{TEXTS.line}</Table.Th>
              <Table.Th>{TEXTS.why}</Table.Th>
              <Table.Th w="40%">{TEXTS.values}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(([line = '', reason = '', ...cells]) => (
              <Table.Tr key={line}>
                <Table.Td>{line}</Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{withCode(reason)}</Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  <Values names={names} cells={cells} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {read.data && all > rows.length && (
        <Text size="sm" c="dimmed">
          {TEXTS.shownOf(countOf(rows.length), countOf(all))}
        </Text>
      )}
      <Text c="dimmed">{TEXTS.downloadHint}</Text>
      <Button component="a" href={pathOf(url)} variant="default" leftSection={<Download size={16} />} w="fit-content">
        {TEXTS.download}
      </Button>
    </>
  )
}

/** The link names the public address of the service, which is where the page is from. */
const pathOf = (url: string): string => new URL(url).pathname

/** The file begins with the line that names the columns. The link is a credential of its own, and no operation that the types know. */
const rowsAt = async (path: string): Promise<string[][]> =>
  rowsIn(String(await answer(api.GET(path as never, { parseAs: 'text' } as never))), ',', SHOWN_MAX + 1)

/** A file for a spreadsheet has an apostrophe before what would be a formula. */
const GUARD = /^'(?=[=+\-@\t\r])/

const Values = ({ names, cells }: { names: readonly string[]; cells: readonly string[] }) => (
  <Stack gap={0}>
    {cells.map((cell, at) =>
      cell.trim() === '' ? null : (
        // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
        <Text key={at} inherit>
          <Dimmed>{names[at] ?? TEXTS.noName} </Dimmed>
          <bdi>{cell.replace(GUARD, '')}</bdi>
        </Text>
      ),
    )}
  </Stack>
)
