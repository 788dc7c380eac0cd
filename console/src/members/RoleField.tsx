import { Radio, Stack } from '@mantine/core'
import { useMe } from '../session/me'
import { MEMBER_TEXTS as TEXTS } from '../texts/members'

export type Role = keyof typeof TEXTS.roles
const ROLES = Object.keys(TEXTS.roles) as Role[]

type RoleFieldProps = {
  value: Role
  onChange: (value: Role) => void
  label: string
  /** Whether every role is offered: operators give them all. */
  isOperator?: boolean
}

/** Every role with a sentence. One that may do more than the reader's own cannot be given. */
export function RoleField({ value, onChange, label, isOperator = false }: RoleFieldProps) {
  const { team } = useMe()
  const given = ROLES.filter((role) => isOperator || team?.role === 'owner' || role !== 'owner')
  return (
    <Radio.Group label={label} value={value} onChange={(chosen) => onChange(chosen as Role)}>
      <Stack gap="xs" mt="xs">
        {given.map((role) => (
          <Radio key={role} value={role} label={TEXTS.roles[role][0]} description={TEXTS.roles[role][1]} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
