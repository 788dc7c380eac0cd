import { Group, NumberInput, Select, TextInput } from '@mantine/core'
import { STEP_FORM_TEXTS as TEXTS } from '../../texts/automation-editor'

const UNITS = ['second', 'minute', 'hour', 'day'] as const
type Unit = (typeof UNITS)[number]

type DurationFieldProps = { label: string; value: string; onChange: (value: string) => void; isFirst?: boolean }

/** A number and a unit. What has another form, such as "1h 30m", stays a text. */
export function DurationField({ label, value, onChange, isFirst = false }: DurationFieldProps) {
  const parts = partsOf(value)
  if (parts === null)
    return (
      <TextInput
        label={label}
        description={TEXTS.durationHint}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        {...(isFirst && { 'data-first': true })}
      />
    )
  const write = (count: number | string, unit: Unit) => onChange(count === '' ? '' : `${count} ${Number(count) === 1 ? unit : `${unit}s`}`)
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      <NumberInput
        label={label}
        description={TEXTS.durationHint}
        value={parts.count}
        onChange={(count) => write(count, parts.unit)}
        min={1}
        allowDecimal={false}
        allowNegative={false}
        flex={1}
        {...(isFirst && { 'data-first': true })}
      />
      <Select
        aria-label={TEXTS.unit}
        data={UNITS.map((unit) => ({ value: unit, label: TEXTS.units[unit] }))}
        value={parts.unit}
        onChange={(unit) => write(parts.count === '' ? 1 : parts.count, UNITS.find((one) => one === unit) ?? parts.unit)}
        allowDeselect={false}
        w={120}
      />
    </Group>
  )
}

/** Null for other forms. */
function partsOf(text: string): { count: number | ''; unit: Unit } | null {
  if (text.trim() === '') return { count: '', unit: 'day' }
  const [, count, word] = /^(\d{1,9}) ([a-z]+?)s?$/.exec(text.trim()) ?? []
  const unit = UNITS.find((one) => one === word)
  return count !== undefined && unit ? { count: Number(count), unit } : null
}
