import { Button, Group, JsonInput, Stack, Text, TextInput } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { FilterBuilder } from '../../segments/FilterBuilder'
import type { GroupKind } from '../../segments/filter-draft'
import { EDITOR_TEXTS, STEP_FORM_TEXTS as TEXTS } from '../../texts/automation-editor'
import type { Rule } from '../graph'
import { isRule } from './draft'
import { type Fields, fieldsIn, subjectsOf, withNamed } from './fields'
import { draftOf, type FieldType, OPERATORS_OF, ruleOf } from './rule-draft'

const KINDS: readonly GroupKind[] = ['all', 'any']

type RuleFieldProps = { rule: Rule; onChange: (rule: Rule) => void; fields: Fields }

/** Rules about the contact and the event, in the form in which the filters of segments are written. */
export function RuleField({ rule, onChange, fields: given }: RuleFieldProps) {
  const fields = withNamed(given, fieldsIn(rule))
  const types = new Map([...fields.contact, ...fields.properties, ...fields.event].map(({ name, type }) => [name, type]))
  const typeOf = (name: string): FieldType => types.get(name) ?? 'unknown'
  const draft = draftOf(rule, typeOf)
  if (draft === null) return <RuleAsJson rule={rule} onChange={onChange} />
  return (
    <Stack gap="sm">
      <FilterBuilder
        group={draft}
        onChange={(changed) => onChange(ruleOf(changed, typeOf))}
        subjects={subjectsOf(fields)}
        kinds={KINDS}
        wrong={null}
      />
      <OtherField
        onAdd={(name) =>
          onChange(
            ruleOf(
              { ...draft, rules: [...draft.rules, { subject: `event.${name}`, operator: OPERATORS_OF.unknown[0] ?? '', value: '' }] },
              typeOf,
            ),
          )
        }
      />
    </Stack>
  )
}

/** Events need no definition, so any field can be named. */
function OtherField({ onAdd }: { onAdd: (name: string) => void }) {
  const [name, setName] = useState('')
  const add = () => {
    if (name.trim() === '') return
    onAdd(name.trim())
    setName('')
  }
  return (
    <Group align="flex-end" gap="xs">
      <TextInput
        label={TEXTS.otherField}
        placeholder={TEXTS.otherFieldHint}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          add()
        }}
        autoCapitalize="off"
        spellCheck={false}
        flex={1}
      />
      <Button variant="default" leftSection={<Plus size={14} />} onClick={add}>
        {TEXTS.addField}
      </Button>
    </Group>
  )
}

function RuleAsJson({ rule, onChange }: Pick<RuleFieldProps, 'rule' | 'onChange'>) {
  const [text, setText] = useState(() => JSON.stringify(rule, null, 2))
  const change = (typed: string) => {
    setText(typed)
    const read = ruleIn(typed)
    if (read !== null) onChange(read)
  }
  return (
    <Stack gap="xs">
      <Text size="sm">{TEXTS.ruleAsJson}</Text>
      <JsonInput
        label={TEXTS.ruleJson}
        validationError={EDITOR_TEXTS.notJson('')}
        autosize
        minRows={6}
        maxRows={20}
        value={text}
        onChange={change}
      />
    </Stack>
  )
}

/** Only what has the form of a rule; the API checks the rest. */
function ruleIn(text: string): Rule | null {
  try {
    const rule: unknown = JSON.parse(text)
    return isRule(rule) ? rule : null
  } catch {
    return null
  }
}
