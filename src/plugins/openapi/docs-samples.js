// The samples of an operation (`x-codeSamples` of the document), folded above its responses: a component of the plugin of /docs, in plain JavaScript.
window.withSamples =
  (Responses, { React, specSelectors }) =>
  (props) => {
    const [chosen, choose] = React.useState(0)
    const [isCopied, setCopied] = React.useState(false)
    const samples = specSelectors.specJson().getIn(['paths', props.path, props.method, 'x-codeSamples'])?.toJS() ?? []
    const responses = React.createElement(Responses, props)
    if (samples.length === 0) return responses
    const { source } = samples[chosen]
    const tabs = samples.map(({ label }, place) =>
      React.createElement(
        'button',
        {
          key: label,
          type: 'button',
          'aria-pressed': place === chosen,
          onClick: () => {
            choose(place)
            setCopied(false)
          },
        },
        label,
      ),
    )
    // Browsers give the clipboard only to pages that came over TLS, or from the same machine.
    const copy =
      navigator.clipboard &&
      React.createElement(
        'button',
        { type: 'button', className: 'copy', onClick: () => navigator.clipboard.writeText(source).then(() => setCopied(true)) },
        isCopied ? 'Copied' : 'Copy',
      )
    return React.createElement(
      React.Fragment,
      null,
      React.createElement(
        'details',
        { className: 'samples' },
        React.createElement('summary', null, `Samples: ${samples.map(({ label }) => label).join(', ')}`),
        React.createElement('div', { className: 'languages' }, ...tabs, copy),
        React.createElement('pre', { tabIndex: 0 }, React.createElement('code', null, source)),
      ),
      responses,
    )
  }
