import { Badge, Button, Group, Table, Text } from '@mantine/core'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { ConfirmButton } from '../parts/ConfirmButton'
import { Section } from '../parts/Section'
import { wordsOf } from '../parts/StateBadge'
import { type Me, useMe, useOpenTeam } from '../session/me'
import { ACCOUNT_TEXTS as TEXTS } from '../texts/account'
import { SESSION_TEXTS } from '../texts/session'

export function Teams() {
  const me = useMe()
  return (
    <Section title={TEXTS.teams}>
      {me.teams.length === 0 ? (
        <Text>{SESSION_TEXTS.noTeam}</Text>
      ) : (
        <Table aria-label={TEXTS.teams}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{TEXTS.team}</Table.Th>
              <Table.Th>{TEXTS.role}</Table.Th>
              <Table.Th ta="right">{TEXTS.leave}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {me.teams.map((team) => (
              <Team key={team.id} team={team} isOpen={team.id === me.team?.id} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  )
}

function Team({ team: { id, name, role }, isOpen }: { team: Me['teams'][number]; isOpen: boolean }) {
  const open = useOpenTeam()
  const leave = useAct({
    run: () => answer(api.DELETE('/me/teams/{team_id}', { params: { path: { team_id: id } } })),
    done: TEXTS.left(name),
    changes: ['me'],
    onDone: () => isOpen && window.location.assign(import.meta.env.BASE_URL),
  })
  return (
    <Table.Tr>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <Group gap="xs">
          <bdi>{name}</bdi>
          {isOpen && <Badge variant="light">{TEXTS.thisOne}</Badge>}
        </Group>
      </Table.Td>
      <Table.Td>{wordsOf(role)}</Table.Td>
      <Table.Td>
        <Group gap="xs" justify="flex-end">
          {!isOpen && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => open.mutate(id)}
              loading={open.isPending}
              aria-label={TEXTS.openName(name)}
            >
              {TEXTS.open}
            </Button>
          )}
          <ConfirmButton
            name={TEXTS.leave}
            label={`${TEXTS.leave}: ${name}`}
            question={TEXTS.leaveQuestion(name)}
            onConfirm={() => leave.mutate()}
            isBusy={leave.isPending}
            size="compact-sm"
          />
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}
