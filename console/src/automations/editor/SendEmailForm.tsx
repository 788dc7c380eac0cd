import { Alert, Anchor, Stack, Text, TextInput } from '@mantine/core'
import { useRecord } from '../../api/queries'
import { Json } from '../../parts/Json'
import { SenderField } from '../../parts/SenderField'
import { textOf, typedValue } from '../../templates/values'
import { STEP_FORM_TEXTS as TEXTS } from '../../texts/automation-editor'
import type { StepOf } from '../graph'
import { type Fields, isReference, likeliestField } from './fields'
import { type Known, templateNamed } from './known'
import { RecordSelect } from './RecordSelect'
import { SimpleEmail } from './SimpleEmail'
import { type Value, ValueField } from './ValueField'

type Config = StepOf<'send_email'>['config']
type FormProps = { config: Config; onChange: (config: Config) => void; known: Known; fields: Fields }

/** What an empty field of the form leaves out of the configuration. */
function withText(config: Config, name: 'from' | 'subject' | 'reply_to' | 'topic_id', text: string): Config {
  const { [name]: _before, ...others } = config
  return text === '' ? others : { ...others, [name]: text }
}

export function SendEmailForm({ config, onChange, known, fields }: FormProps) {
  const { template } = config
  const found = templateNamed(known, template.id)
  const { data } = useRecord('/templates/{template_id}', { path: { template_id: template.id } }, { isEnabled: found !== undefined })
  // The one before stays until the chosen one is read.
  const chosen = data && found && data.id === found.id ? data : undefined
  const text = (name: 'subject' | 'reply_to') => ({
    value: config[name] ?? '',
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) => onChange(withText(config, name, currentTarget.value)),
  })
  return (
    <Stack gap="sm">
      <RecordSelect
        label={TEXTS.template}
        hint={TEXTS.templateHint}
        // By its alias or by its id: what stands there stays as it is.
        value={found?.id ?? template.id}
        // A draft cannot be sent yet.
        options={known.templates
          .map(({ id, name, status }) => ({ value: id, label: status === 'draft' ? TEXTS.draft(name) : name, isDraft: status === 'draft' }))
          .sort((one, other) => Number(one.isDraft) - Number(other.isDraft))
          .map(({ value, label }) => ({ value, label }))}
        onChange={(id) => onChange({ ...config, template: { id } })}
        page="/templates"
        create={{ to: '/templates/new', what: TEXTS.aTemplate }}
        isFirst
      />
      {template.id === '' && <SimpleEmail onWritten={(id) => onChange({ ...config, template: { id } })} />}
      {chosen && chosen.from === null && !config.from && <Alert color="orange">{TEXTS.noSender}</Alert>}
      {chosen && chosen.subject === null && !config.subject && <Alert color="orange">{TEXTS.noSubject}</Alert>}
      <TextInput label={TEXTS.subject} description={chosen?.subject ?? TEXTS.subjectHint} {...text('subject')} />
      {chosen && chosen.variables.length > 0 && (
        <Variables config={config} onChange={onChange} fields={fields} variables={chosen.variables} />
      )}
      <SenderField
        label={TEXTS.from}
        description={chosen?.from ?? TEXTS.fromHint}
        hasOwnHint
        value={config.from ?? ''}
        onChange={(from) => onChange(withText(config, 'from', from))}
      />
      <TextInput label={TEXTS.replyTo} description={TEXTS.replyToHint} {...text('reply_to')} />
      <RecordSelect
        label={TEXTS.topic}
        hint={TEXTS.topicHint}
        value={config.topic_id ?? ''}
        options={known.topics.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(id) => onChange(withText(config, 'topic_id', id))}
        page="/topics"
        create={{ to: '/topics', what: TEXTS.aTopic, search: { do: 'create-topic' } }}
        isOptional
      />
    </Stack>
  )
}

type Template = NonNullable<ReturnType<typeof useRecord<'/templates/{template_id}'>>['data']>

function Variables({ config, onChange, fields, variables }: Omit<FormProps, 'known'> & { variables: Template['variables'] }) {
  const values: Readonly<Record<string, unknown>> = config.template.variables ?? {}
  const change = (key: string, value: Value) => {
    const { [key]: _before, ...others } = values
    const changed = value === undefined ? others : { ...others, [key]: value }
    // A reference is a value too, which the types of a body cannot say.
    const given = Object.keys(changed).length > 0 && { variables: changed as NonNullable<Config['template']['variables']> }
    onChange({ ...config, template: { id: config.template.id, ...given } })
  }
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        {TEXTS.variables}
      </Text>
      {variables.map(({ key, type, fallback_value }) => {
        const value = values[key]
        const likely = value === undefined ? likeliestField(key, fields) : undefined
        // Lists and objects are written as JSON.
        return typeof value === 'object' && value !== null && !isReference(value) ? (
          <Json key={key} label={key} value={value} />
        ) : (
          <Stack gap={2} key={key}>
            <ValueField
              label={TEXTS.variable(key)}
              value={value as Value}
              onChange={(changed) => change(key, changed)}
              fields={fields}
              absent={TEXTS.fallbackOf(textOf(fallback_value))}
              typed={(text) => (type === 'number' || type === 'boolean' ? (typedValue(type, text) as string | number | boolean) : text)}
            />
            {likely && (
              <Anchor component="button" type="button" size="sm" ta="start" onClick={() => change(key, { var: likely.name })}>
                {TEXTS.likely[likely.name.startsWith('event.') ? 'event' : 'contact'](likely.words)}
              </Anchor>
            )}
          </Stack>
        )
      })}
    </Stack>
  )
}
