import type { SnippetValues } from "./snippet-values.ts";

/** Returns the configuration of Spring Boot with Spring Security, and the class of the filter chain that sends PKCE. */
export function spring({ issuer, id, redirectUri, scope, authMethod }: SnippetValues): string {
  return `# application.yaml. issuer-uri is compared exactly: no trailing slash, no 127.0.0.1 in place of localhost.
spring:
  security:
    oauth2:
      client:
        registration:
          gatehouse:
            client-id: ${JSON.stringify(id)}
            client-secret: "\${CLIENT_SECRET}"
            client-authentication-method: ${authMethod}
            authorization-grant-type: authorization_code
            redirect-uri: ${JSON.stringify(redirectUri)}
            scope: [${scope.split(" ").join(", ")}]
        provider:
          gatehouse:
            issuer-uri: ${JSON.stringify(issuer)}
            # The name of the principal: find users by it, never by the e-mail address.
            user-name-attribute: sub

// SecurityConfiguration.java. By default, Spring Security 6 sends no PKCE for a client with a secret.
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizationRequestResolver;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestCustomizers;
import org.springframework.security.web.SecurityFilterChain;

@Configuration
class SecurityConfiguration {
  @Bean
  SecurityFilterChain security(HttpSecurity http, ClientRegistrationRepository clients) throws Exception {
    var resolver = new DefaultOAuth2AuthorizationRequestResolver(clients, "/oauth2/authorization");
    resolver.setAuthorizationRequestCustomizer(OAuth2AuthorizationRequestCustomizers.withPkce());
    return http
        .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
        .oauth2Login(login -> login
            .authorizationEndpoint(endpoint -> endpoint.authorizationRequestResolver(resolver))
            .redirectionEndpoint(endpoint -> endpoint.baseUri(${JSON.stringify(new URL(redirectUri).pathname)})))
        .build();
  }
}`;
}

/** Returns the configuration of Apache with mod_auth_openidc 2.4. */
export function modAuthOpenidc({ issuer, id, redirectUri, scope, authMethod }: SnippetValues): string {
  return `# Packages: libapache2-mod-auth-openidc. CLIENT_SECRET and SESSION_SECRET are set in /etc/apache2/envvars.
OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
OIDCClientID ${id}
OIDCClientSecret \${CLIENT_SECRET}
OIDCProviderTokenEndpointAuth ${authMethod}
OIDCRedirectURI ${redirectUri}
OIDCCryptoPassphrase \${SESSION_SECRET}
OIDCScope "${scope}"
OIDCPKCEMethod S256
# REMOTE_USER is sub: applications find users by it, never by the e-mail address.
OIDCRemoteUserClaim sub

<Location />
  AuthType openid-connect
  Require valid-user
</Location>`;
}
