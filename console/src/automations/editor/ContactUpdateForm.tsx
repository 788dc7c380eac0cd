import { ActionIcon, Group, Select, Stack, Text } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import { PageLink } from '../../parts/PageLink'
import { STEP_FORM_TEXTS as TEXTS } from '../../texts/automation-editor'
import type { StepOf } from '../graph'
import { type Fields, isReference } from './fields'
import type { Known } from './known'
import { type Value, ValueField } from './ValueField'

type Config = StepOf<'contact_update'>['config']
type FormProps = { config: Config; onChange: (config: Config) => void; known: Known; fields: Fields }

export function ContactUpdateForm({ config, onChange, known, fields }: FormProps) {
  const { unsubscribed } = config
  const change = (name: 'first_name' | 'last_name' | 'unsubscribed' | 'properties', value: unknown) => {
    const { [name]: _before, ...others } = config
    onChange(value === undefined ? others : { ...others, [name]: value })
  }
  const name = (field: 'first_name' | 'last_name', label: string) => (
    <ValueField
      label={label}
      value={config[field]}
      onChange={(value) => change(field, value)}
      fields={fields}
      absent={TEXTS.sources.same}
      mayBeEmptied
    />
  )
  return (
    <Stack gap="sm">
      <Properties config={config} onChange={(properties) => change('properties', properties)} known={known} fields={fields} />
      {name('first_name', TEXTS.firstName)}
      {name('last_name', TEXTS.lastName)}
      <Select
        label={TEXTS.unsubscribed}
        data={[
          { value: 'same', label: TEXTS.subscription.same },
          { value: 'true', label: TEXTS.subscription.true },
          { value: 'false', label: TEXTS.subscription.false },
          ...(isReference(unsubscribed) ? [{ value: 'reference', label: unsubscribed.var }] : []),
        ]}
        value={isReference(unsubscribed) ? 'reference' : unsubscribed == null ? 'same' : String(unsubscribed)}
        onChange={(chosen) => chosen !== 'reference' && change('unsubscribed', chosen === 'same' ? undefined : chosen === 'true')}
        allowDeselect={false}
      />
    </Stack>
  )
}

type PropertiesProps = Pick<FormProps, 'config' | 'known' | 'fields'> & { onChange: (properties: Config['properties']) => void }

function Properties({ config, onChange, known, fields }: PropertiesProps) {
  const values = config.properties ?? {}
  const set = (key: string, value: Value) => {
    const { [key]: _before, ...others } = values
    const changed = value === undefined ? others : { ...others, [key]: value }
    onChange(Object.keys(changed).length === 0 ? undefined : changed)
  }
  const isNumber = (key: string): boolean => known.properties.some((property) => property.key === key && property.type === 'number')
  const left = known.properties.filter(({ key }) => !Object.hasOwn(values, key))
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        {TEXTS.properties}
      </Text>
      {Object.entries(values).map(([key, value]) => (
        <Group key={key} gap="xs" align="flex-end" wrap="nowrap">
          <ValueField
            label={key}
            value={value}
            onChange={(changed) => set(key, changed)}
            fields={fields}
            absent={TEXTS.sources.same}
            mayBeEmptied
            typed={(text) => (isNumber(key) && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text)}
          />
          <ActionIcon variant="subtle" color="gray" size={36} aria-label={TEXTS.removeProperty(key)} onClick={() => set(key, undefined)}>
            <X size={16} />
          </ActionIcon>
        </Group>
      ))}
      <Select
        aria-label={TEXTS.addProperty}
        placeholder={TEXTS.addProperty}
        leftSection={<Plus size={14} />}
        data={left.map(({ key }) => key)}
        value={null}
        onChange={(key) => key !== null && set(key, '')}
        searchable
        nothingFoundMessage={TEXTS.nothingFound}
        data-first
      />
      <PageLink to="/properties" search={{ do: 'create-property' }} size="sm" isNewTab>
        {TEXTS.createOne(TEXTS.aProperty)}
      </PageLink>
    </Stack>
  )
}
