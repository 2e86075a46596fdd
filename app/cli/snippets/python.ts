import type { SnippetValues } from "./snippet-values.ts";

/** Returns an application of Flask with Authlib 1. */
export function authlib({ issuer, id, redirectUri, scope, authMethod }: SnippetValues): string {
  return `# Packages: Authlib, Flask, requests (Debian: python3-authlib python3-flask python3-requests)
import os

from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, session

app = Flask(__name__)
app.secret_key = os.environ["SESSION_SECRET"]
gatehouse = OAuth(app).register(
    "gatehouse",
    server_metadata_url=${python(`${issuer}/.well-known/openid-configuration`)},
    client_id=${python(id)},
    client_secret=os.environ["CLIENT_SECRET"],
    client_kwargs={
        "scope": ${python(scope)},
        "code_challenge_method": "S256",
        "token_endpoint_auth_method": ${python(authMethod)},
    },
)


@app.get("/sign-in")
def sign_in():
    return gatehouse.authorize_redirect(${python(redirectUri)})


@app.get(${python(new URL(redirectUri).pathname)})
def finish_sign_in():
    token = gatehouse.authorize_access_token()  # checks state, nonce and the ID token
    claims = gatehouse.userinfo(token=token)
    # Find the user by sub, never by the e-mail address.
    session["user"] = {"sub": token["userinfo"]["sub"], "name": claims.get("name")}
    return redirect("/")


@app.get("/")
def home():
    return session.get("user") or {"sub": None}`;
}

/** Returns settings of Django for mozilla-django-oidc 4 or later, and a backend that finds users by \`sub\`. */
export function django({ issuer, id, scope, authMethod, idTokenAlg }: SnippetValues): string {
  const useBasicAuth = authMethod === "client_secret_basic" ? "True" : "False";
  return `# settings.py. The redirect URI of mozilla-django-oidc is /oidc/callback/ below the application's address.
import os

INSTALLED_APPS += ["mozilla_django_oidc"]
AUTHENTICATION_BACKENDS = ["oidc.SubjectBackend"]
OIDC_OP_AUTHORIZATION_ENDPOINT = ${python(`${issuer}/oauth2/auth`)}
OIDC_OP_TOKEN_ENDPOINT = ${python(`${issuer}/oauth2/token`)}
OIDC_OP_USER_ENDPOINT = ${python(`${issuer}/userinfo`)}
OIDC_OP_JWKS_ENDPOINT = ${python(`${issuer}/.well-known/jwks.json`)}
OIDC_RP_CLIENT_ID = ${python(id)}
OIDC_RP_CLIENT_SECRET = os.environ["CLIENT_SECRET"]
OIDC_RP_SCOPES = ${python(scope)}
OIDC_RP_SIGN_ALGO = ${python(idTokenAlg)}
OIDC_TOKEN_USE_BASIC_AUTH = ${useBasicAuth}
OIDC_USE_PKCE = True

# oidc.py
from mozilla_django_oidc.auth import OIDCAuthenticationBackend


class SubjectBackend(OIDCAuthenticationBackend):
    """Finds users by sub. The default finds them by e-mail address, which another user can enter."""

    def verify_claims(self, claims):
        return bool(claims.get("sub"))

    def filter_users_by_claims(self, claims):
        return self.UserModel.objects.filter(username=claims["sub"])

    def create_user(self, claims):
        return self.UserModel.objects.create_user(claims["sub"], email=claims.get("email", ""))

# urls.py: path("oidc/", include("mozilla_django_oidc.urls"))`;
}

/** Strings of JSON are strings of Python. */
function python(text: string): string {
  return JSON.stringify(text);
}
