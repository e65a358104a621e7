/** What secrets of well-known services look like. */

/**
 * `hints` are texts of which at least one stands in or before every match, so that most texts are passed over quickly.
 * Every pattern takes time linear in the text: what may repeat without a limit is one class of characters, which a match
 * takes as a whole, and everything else is bounded.
 */
export type SecretShape = {
  kind: string
  hints: readonly string[]
  pattern: RegExp
  accepts?(secret: string): boolean
}

const hasDigit = (secret: string) => /\d/.test(secret)

/**
 * No letter or digit before it, unless that belongs to something else: an escape in a JSON string, a colour of a
 * terminal, an encoded character of a URL.
 */
const wordStart = String.raw`(?:(?<![A-Za-z0-9_])|(?<=\\[nrtbf])|(?<=\[[0-9;]{0,16}m)|(?<=%[0-9A-Fa-f]{2}))`

export const secretShapes: readonly SecretShape[] = [
  token('API key', 'sk-', /sk-[A-Za-z0-9_-]{20,}/, hasDigit),
  token('API key', 'gsk_ xai- pplx- r8_', /(?:gsk_|xai-|pplx-|r8_)[A-Za-z0-9]{30,}/),
  token('GitHub token', 'ghp_ gho_ ghu_ ghs_ ghr_', /gh[pousr]_[A-Za-z0-9]{20,}/),
  token('GitHub token', 'github_pat_', /github_pat_[A-Za-z0-9_]{20,}/),
  token(
    'GitLab token',
    'glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent- glimt- gloas-',
    /gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas)-[A-Za-z0-9_.-]{16,}/,
  ),
  token('AWS access key', 'AKIA ASIA ABIA ACCA', /(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/),
  shape(
    'AWS secret key',
    'ecret ECRET',
    /(?<=(?:secret|Secret|SECRET)_?(?:access|Access|ACCESS)_?(?:key|Key|KEY)["']?[ \t]{0,4}[=:][ \t]{0,4}["']?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])/,
  ),
  token('Slack token', 'xox', /xox[a-z]-[A-Za-z0-9-]{10,}/, hasDigit),
  token('Slack token', 'xapp-', /xapp-\d-[A-Za-z0-9-]{10,}/),
  shape(
    'Slack webhook',
    'hooks.slack.com',
    /(?<=hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9/_-]{20,}/,
  ),
  token('Google API key', 'AIza', /AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/),
  token('Google token', 'ya29. GOCSPX-', /(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,}/),
  token('JSON web token', 'eyJ', /eyJ[A-Za-z0-9_-]{8,600}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/),
  token('Stripe key', '_live_ _test_', /[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/),
  token('webhook secret', 'whsec_', /whsec_[A-Za-z0-9+/=]{20,}/),
  token('npm token', 'npm_', /npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/),
  token('PyPI token', 'pypi-', /pypi-[A-Za-z0-9_-]{50,}/),
  token('Hugging Face token', 'hf_', /hf_[A-Za-z0-9]{30,}/),
  token('SendGrid key', 'SG.', /SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}/),
  token('DigitalOcean token', '_v1_', /do[opr]_v1_[a-f0-9]{64}/),
  token('Databricks token', 'dapi', /dapi[a-f0-9]{32}(?![A-Za-z0-9])/),
  token('Shopify token', 'shpat_ shpca_ shppa_ shpss_', /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/),
  token('Vault token', 'hvs. hvb.', /hv[sb]\.[A-Za-z0-9_-]{24,}/),
  token('Telegram token', ':AA', /\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/),
  shape('age key', 'AGE-SECRET-KEY-1', /AGE-SECRET-KEY-1[0-9A-Z]{50,}/),
  shape('Azure key', 'AccountKey=', /(?<=AccountKey=)[A-Za-z0-9+/=]{60,}/),
  shape('bearer token', 'earer', /(?<=[Bb]earer {1,4})[A-Za-z0-9._~+/=-]{20,}/, hasDigit),
  shape(
    'password in a URL',
    '://',
    /(?<=[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/[^\s:@/"'`<>]{1,100}:)[^\s:@/"'`<>${}[\]]{3,200}(?=@)/,
  ),
]

/** A shape that begins a word of its own. */
function token(kind: string, hints: string, body: RegExp, accepts?: SecretShape['accepts']): SecretShape {
  return shape(kind, hints, new RegExp(wordStart + body.source), accepts)
}

function shape(kind: string, hints: string, pattern: RegExp, accepts?: SecretShape['accepts']): SecretShape {
  const one = { kind, hints: hints.split(' '), pattern: new RegExp(pattern.source, 'g') }
  return accepts ? { ...one, accepts } : one
}
