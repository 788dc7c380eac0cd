import { ActionIcon, Button, Group, Select, Stack, Switch, TextInput } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import { wordsOf } from '../parts/StateBadge'
import { EVENT_TEXTS as TEXTS } from '../texts/events'
import { FIELD_TYPES, type FieldRow, type FieldsForm } from './event-fields'

const TYPES = FIELD_TYPES.map((type) => ({ value: type, label: wordsOf(type) }))

/** Whether a payload is checked, and for which fields. */
export function FieldsField({ value: { isChecked, rows }, onChange }: { value: FieldsForm; onChange: (value: FieldsForm) => void }) {
  const change = (index: number, changed: Partial<FieldRow> | null) =>
    onChange({
      isChecked,
      rows: rows.flatMap((row, at) => (at !== index ? [row] : changed === null ? [] : [{ ...row, ...changed }])),
    })
  return (
    <Stack gap="sm">
      <Switch
        label={TEXTS.checks}
        description={TEXTS.checksHint}
        checked={isChecked}
        onChange={({ currentTarget }) => onChange({ isChecked: currentTarget.checked, rows })}
      />
      {isChecked &&
        rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other name while it is typed
          <Group key={index} gap="xs" wrap="nowrap">
            <TextInput
              aria-label={TEXTS.fieldName(index + 1)}
              placeholder={TEXTS.fieldName(index + 1)}
              value={row.name}
              onChange={({ currentTarget }) => change(index, { name: currentTarget.value })}
              flex={1}
            />
            <Select
              aria-label={TEXTS.fieldType(index + 1)}
              data={TYPES}
              value={row.type}
              onChange={(type) => change(index, { type: FIELD_TYPES.find((one) => one === type) ?? row.type })}
              allowDeselect={false}
              w={120}
            />
            <ActionIcon variant="subtle" color="gray" aria-label={TEXTS.removeField(index + 1)} onClick={() => change(index, null)}>
              <X size={16} />
            </ActionIcon>
          </Group>
        ))}
      {isChecked && (
        <Button
          variant="subtle"
          leftSection={<Plus size={14} />}
          w="fit-content"
          onClick={() => onChange({ isChecked, rows: [...rows, { name: '', type: 'string' }] })}
        >
          {TEXTS.addField}
        </Button>
      )}
    </Stack>
  )
}
