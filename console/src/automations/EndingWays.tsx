import { Stack, Table, Text } from '@mantine/core'
import { ENDING_TEXTS as TEXTS } from '../texts/automations'

type Way = keyof typeof TEXTS.ways
const WAYS: readonly Way[] = ['disable', 'stop']

/** The two ways to end an automation beside each other: the question about one of them is answered by what the other one does. */
export const EndingWays = ({ chosen }: { chosen: Way }) => (
  <Stack gap="xs">
    <Table layout="fixed" highlightOnHover={false} aria-label={TEXTS.title}>
      <Table.Thead>
        <Table.Tr>
          <Table.Td />
          {WAYS.map((way) => (
            <Table.Th key={way} scope="col" fw={way === chosen ? 700 : 400}>
              {TEXTS.ways[way]}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {TEXTS.rows.map(({ what, ...does }) => (
          <Table.Tr key={what}>
            <Table.Th scope="row" fw={400}>
              {what}
            </Table.Th>
            {WAYS.map((way) => (
              <Table.Td key={way} fw={way === chosen ? 600 : 400}>
                {does[way]}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
    <Text size="sm" c="dimmed">
      {TEXTS.hint[chosen]}
    </Text>
  </Stack>
)
