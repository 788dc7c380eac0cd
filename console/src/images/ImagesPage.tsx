import { Text } from '@mantine/core'
import { useRows } from '../api/queries'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { useMay } from '../session/me'
import { useGo } from '../shell/address'
import { IMAGE_TEXTS as TEXTS } from '../texts/images'
import { ImageDrop } from './ImageDrop'
import { ImageGrid } from './ImageGrid'

const PAGE = 40

export default function ImagesPage() {
  const may = useMay()
  const go = useGo()
  const list = useRows('/images', { query: { limit: PAGE } })
  return (
    <Page title={TEXTS.title}>
      <Text c="dimmed" maw={760}>
        {TEXTS.what}
      </Text>
      {may('images:write') && <ImageDrop />}
      <ImageGrid
        list={list}
        onPicture={({ id }) => go(`/images/${id}`)}
        act={({ id, name }) => (
          <PageLink to={`/images/${id}`} truncate display="block">
            <bdi>{name}</bdi>
          </PageLink>
        )}
      />
    </Page>
  )
}
