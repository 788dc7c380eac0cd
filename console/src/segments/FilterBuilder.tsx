import { ActionIcon, Box, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { SEGMENT_TEXTS as TEXTS } from '../texts/segments'
import {
  asksOnlyWhetherSet,
  type DraftGroup,
  type DraftLeaf,
  type DraftRule,
  EMPTY_DRAFT,
  GROUP_KINDS,
  type GroupKind,
  isGroup,
} from './filter-draft'
import { type SubjectGroup, subjectNamed } from './filter-subjects'
import { PropertyValueField } from './PropertyValueField'

type GroupProps = {
  group: DraftGroup
  onChange: (group: DraftGroup) => void
  subjects: readonly SubjectGroup[]
  /** Where the rule is that was refused, from here on; null if it is not in this group. */
  wrong: readonly number[] | null
  /** How its rules can combine; all ways, if it is left out. */
  kinds?: readonly GroupKind[]
  onRemove?: () => void
}

/** A group of rules: how they combine, each of them, and what can be added. Groups can be in one another. */
export function FilterBuilder({ group, onChange, subjects, wrong, kinds = GROUP_KINDS, onRemove }: GroupProps) {
  const replace = (index: number, rule: DraftRule | null) =>
    onChange({ ...group, rules: group.rules.flatMap((one, at) => (at === index ? (rule === null ? [] : [rule]) : [one])) })
  // What is compared with comes next.
  const [typedAt, setTypedAt] = useState<number | null>(null)
  const add = (rule: DraftRule) => {
    setTypedAt(group.rules.length)
    onChange({ ...group, rules: [...group.rules, rule] })
  }
  // Where one rule is the same under each of the ways, nothing asks how rules combine before there are two.
  const asksHow = group.rules.length > 1 || onRemove !== undefined || kinds.includes('none')
  return (
    <Box
      component="fieldset"
      m={0}
      p="sm"
      style={{
        border: `1px solid var(--mantine-color-${wrong?.length === 0 ? 'red-6' : 'default-border'})`,
        borderRadius: 'var(--mantine-radius-md)',
        minWidth: 0,
      }}
    >
      <Stack gap="sm">
        {asksHow && (
          <Group justify="space-between" wrap="nowrap">
            <Select
              aria-label={TEXTS.how}
              data={kinds.map((kind) => ({ value: kind, label: TEXTS.groups[kind] }))}
              value={group.kind}
              onChange={(kind) => onChange({ ...group, kind: GROUP_KINDS.find((one) => one === kind) ?? 'all' })}
              allowDeselect={false}
              w={260}
            />
            {onRemove && <RemoveButton label={TEXTS.removeGroup} onClick={onRemove} />}
          </Group>
        )}
        {group.rules.map((rule, index) => {
          const inside = wrong !== null && wrong[0] === index ? wrong.slice(1) : null
          const onRemoveRule = () => replace(index, null)
          return isGroup(rule) ? (
            <FilterBuilder
              // biome-ignore lint/suspicious/noArrayIndexKey: rules have no other name, and their fields keep nothing of their own
              key={index}
              group={rule}
              onChange={(changed) => replace(index, changed)}
              subjects={subjects}
              wrong={inside}
              kinds={kinds}
              onRemove={onRemoveRule}
            />
          ) : (
            <RuleFields
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              key={index}
              leaf={rule}
              onChange={(changed) => replace(index, changed)}
              subjects={subjects}
              isWrong={inside !== null}
              isNew={index === typedAt}
              onRemove={onRemoveRule}
            />
          )
        })}
        <Group gap="xs">
          <Select
            aria-label={TEXTS.addRuleAbout}
            placeholder={TEXTS.addRule}
            leftSection={<Plus size={14} />}
            searchable
            w={220}
            value={null}
            {...(group.rules.length === 0 && { 'data-first': true })}
            data={subjects.map(({ words, subjects: some }) => ({
              group: words,
              items: some.map(({ key, words: label }) => ({ value: key, label })),
            }))}
            onChange={(key) => key !== null && add(newLeaf(key, subjects))}
          />
          {(group.rules.length > 0 || asksHow) && (
            <Button variant="subtle" leftSection={<Plus size={14} />} onClick={() => add({ ...EMPTY_DRAFT, kind: 'any' })}>
              {TEXTS.addGroup}
            </Button>
          )}
        </Group>
      </Stack>
    </Box>
  )
}

function newLeaf(key: string, subjects: readonly SubjectGroup[]): DraftLeaf {
  const { operators, choices } = subjectNamed(subjects, key)
  return { subject: key, operator: operators[0] ?? '', value: Object.keys(choices ?? {})[0] ?? '' }
}

type RuleProps = {
  leaf: DraftLeaf
  onChange: (leaf: DraftLeaf) => void
  subjects: readonly SubjectGroup[]
  isWrong: boolean
  /** It was just added. */
  isNew: boolean
  onRemove: () => void
}

function RuleFields({ leaf, onChange, subjects, isWrong, isNew, onRemove }: RuleProps) {
  const { words, operators, choices, isTime = false, propertyId } = subjectNamed(subjects, leaf.subject)
  const value = { label: TEXTS.valueOf(words), text: leaf.value, onChange: (text: string) => onChange({ ...leaf, value: text }), isWrong }
  return (
    <Group gap="xs" wrap="wrap">
      <Text w={{ base: '100%', sm: 150 }} fw={500} style={{ overflowWrap: 'anywhere' }}>
        <bdi>{words}</bdi>
      </Text>
      {operators.length > 1 && (
        <Select
          aria-label={TEXTS.operatorOf(words)}
          data={operators.map((operator) => ({ value: operator, label: TEXTS.operators[operator] ?? operator }))}
          value={leaf.operator}
          onChange={(operator) => onChange({ ...leaf, operator: operator ?? leaf.operator })}
          allowDeselect={false}
          w={170}
        />
      )}
      {choices !== null && (
        <Select
          aria-label={value.label}
          data={Object.entries(choices).map(([one, label]) => ({ value: one, label }))}
          value={value.text}
          onChange={(text) => value.onChange(text ?? value.text)}
          allowDeselect={false}
          error={isWrong}
          w={200}
        />
      )}
      {choices === null &&
        !asksOnlyWhetherSet(leaf.operator) &&
        (isTime ? <TimeValue {...value} /> : <TextValue {...value} isNew={isNew} propertyId={propertyId} />)}
      <RemoveButton label={TEXTS.removeRule(words)} onClick={onRemove} />
    </Group>
  )
}

type ValueProps = { label: string; text: string; onChange: (text: string) => void; isWrong: boolean }

function TextValue({ label, text, onChange, isWrong, isNew, propertyId }: ValueProps & { isNew: boolean; propertyId: string | undefined }) {
  const field = useRef<HTMLInputElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it appears
  useEffect(() => {
    if (isNew) field.current?.focus()
  }, [])
  if (propertyId !== undefined)
    return (
      <PropertyValueField
        ref={field}
        propertyId={propertyId}
        aria-label={label}
        value={text}
        onChange={onChange}
        error={isWrong}
        flex="1 1 160px"
      />
    )
  return (
    <TextInput
      ref={field}
      aria-label={label}
      value={text}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={isWrong}
      flex="1 1 160px"
    />
  )
}

/** In the zone of who writes it; the API gets it in UTC. */
const TimeValue = ({ label, text, onChange, isWrong }: ValueProps) => (
  <TextInput
    type="datetime-local"
    aria-label={label}
    value={localOf(text)}
    onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? '' : new Date(currentTarget.value).toISOString())}
    error={isWrong}
    w={220}
  />
)

const MINUTE_MS = 60_000
const LOCAL_LENGTH = 'YYYY-MM-DDTHH:MM'.length

function localOf(text: string): string {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, LOCAL_LENGTH)
}

const RemoveButton = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={onClick}>
    <X size={16} />
  </ActionIcon>
)
