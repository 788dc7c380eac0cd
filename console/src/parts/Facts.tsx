import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

type FactsProps = {
  facts: readonly (readonly [name: string, value: ReactNode])[]
  /** Beside other parts, where there is less room. */
  isNarrow?: boolean
}

/** What is known of a record, name and value. What is null or empty is left out. */
export function Facts({ facts, isNarrow = false }: FactsProps) {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
  if (known.length === 0) return null
  return (
    <Table variant="vertical" layout="fixed" highlightOnHover={false} withRowBorders={false} verticalSpacing={5} horizontalSpacing={0}>
      <Table.Tbody>
        {known.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th w={isNarrow ? 104 : { base: 116, sm: 180 }} scope="row" bg="transparent" fz="sm" pr="sm" style={TOP}>
              {name}
            </Table.Th>
            <Table.Td style={{ ...TOP, overflowWrap: 'anywhere' }}>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

const TOP = { verticalAlign: 'top' } as const
