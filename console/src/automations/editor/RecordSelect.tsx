import { Group, Select, Stack } from '@mantine/core'
import { PageLink } from '../../parts/PageLink'
import { STEP_FORM_TEXTS as TEXTS } from '../../texts/automation-editor'

type RecordSelectProps = {
  label: string
  hint: string
  value: string
  options: readonly { value: string; label: string }[]
  onChange: (value: string) => void
  /** The page of what is chosen, and the page on which one is made. */
  page: string
  create: { to: string; what: string; search?: Record<string, string> }
  isOptional?: boolean
  isFirst?: boolean
}

/** One of the team's records. What was chosen and is gone keeps its place; what is missing can be made in another tab. */
export function RecordSelect({ label, hint, value, options, onChange, page, create, isOptional, isFirst }: RecordSelectProps) {
  const isGone = value !== '' && !options.some((option) => option.value === value)
  return (
    <Stack gap={4}>
      <Select
        label={label}
        description={hint}
        placeholder={isOptional ? TEXTS.none : undefined}
        data={[...options, ...(isGone ? [{ value, label: TEXTS.missing(value) }] : [])]}
        value={value === '' ? null : value}
        onChange={(chosen) => onChange(chosen ?? '')}
        searchable
        clearable={isOptional ?? false}
        allowDeselect={false}
        nothingFoundMessage={TEXTS.nothingFound}
        {...(isFirst && { 'data-first': true })}
      />
      <Group gap="sm">
        {value !== '' && !isGone && (
          <PageLink to={`${page}/${value}`} size="sm" isNewTab>
            {TEXTS.open}
          </PageLink>
        )}
        <PageLink to={create.to} size="sm" isNewTab {...(create.search && { search: create.search })}>
          {TEXTS.createOne(create.what)}
        </PageLink>
      </Group>
    </Stack>
  )
}
