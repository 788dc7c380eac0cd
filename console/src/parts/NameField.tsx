import { Group, Stack, Text, TextInput, type TextInputProps } from '@mantine/core'
import { TriangleAlert } from 'lucide-react'

type NameFieldProps = TextInputProps & {
  /** The records of its kind. */
  others: readonly { id: string; name: string }[]
  /** The record that is named; none while it is new. */
  ownId?: string | undefined
  /** What is said if another one has that name. */
  taken: string
}

/** A name that need not be the only one of its kind: who gives one that another has is told so. */
export function NameField({ others, ownId, taken, ...field }: NameFieldProps) {
  const name = plain(String(field.value ?? ''))
  const isTaken = name !== '' && others.some((other) => other.id !== ownId && plain(other.name) === name)
  return (
    <Stack gap={4}>
      <TextInput {...field} />
      {isTaken && (
        <Group gap={6} wrap="nowrap" role="status">
          <Text span c="orange" lh={0}>
            <TriangleAlert size={16} aria-hidden />
          </Text>
          <Text size="sm">{taken}</Text>
        </Group>
      )}
    </Stack>
  )
}

const plain = (name: string): string => name.trim().toLowerCase()
